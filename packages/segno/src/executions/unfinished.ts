// What is unfinished in a journal, in a few words.

import { groupedDigits } from "@segno/contract";
import type { Engine } from "@segno/engine";

import { safeText } from "../terminal/safe-text.ts";
import { newestExecutions } from "./listed.ts";
import { prefixOf } from "./short-id.ts";
import { UNDER_WAY } from "./under-way.ts";

const NAMED_MAX = 5;

/** Nothing when there is nothing. */
export async function unfinishedText(engine: Engine): Promise<string | undefined> {
  const { executions, total } = await newestExecutions(engine, { status: UNDER_WAY }, NAMED_MAX);
  if (total === 0) return undefined;
  const named = executions.map(({ id, workflow }) => `${safeText(workflow)} ${safeText(prefixOf(id))}`);
  const more = total > named.length ? [`${groupedDigits(total - named.length)} more`] : [];
  return [...named, ...more].join(", ");
}

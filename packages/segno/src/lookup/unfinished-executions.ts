// Describes the unfinished executions of a journal in one line.

import { groupedDigits } from "@segno/contract";
import type { Engine } from "@segno/engine";

import { safeText } from "../terminal/safe-text.ts";
import { newestExecutions } from "./listed-executions.ts";
import { idPrefix } from "./short-id.ts";
import { ACTIVE_STATUSES } from "./active-statuses.ts";

const NAMED_MAX = 5;

/** Returns nothing if all executions have ended. */
export async function unfinishedText(engine: Engine): Promise<string | undefined> {
  const { executions, total } = await newestExecutions(engine, { status: ACTIVE_STATUSES }, NAMED_MAX);
  if (total === 0) return undefined;
  const named = executions.map(({ id, workflow }) => `${safeText(workflow)} ${safeText(idPrefix(id))}`);
  const more = total > named.length ? [`${groupedDigits(total - named.length)} more`] : [];
  return [...named, ...more].join(", ");
}

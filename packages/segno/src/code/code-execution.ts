// A code workflow and its repository, opened to look at them.

import { inspectCode, type CodeInspection } from "@segno/code";

import { openToRead } from "../journal/open-engine.ts";
import type { JournalOptions } from "../journal/journal-options.ts";
import { findExecution } from "../lookup/find-execution.ts";

export async function openCodeExecution(options: JournalOptions & { readonly id: string }): Promise<CodeInspection> {
  await using engine = await openToRead(options);
  const handle = await findExecution(engine, options.id);
  return await inspectCode(engine, handle);
}

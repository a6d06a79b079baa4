// Everything that has happened to an execution up to now, without waiting for more.

import type { ExecutionHandle } from "@segno/engine";

import { ExecutionProgress } from "../progress/execution-progress.ts";

/** What is told of it from now on is new. */
export async function recount(handle: ExecutionHandle): Promise<ExecutionProgress> {
  const report = await handle.status();
  const progress = new ExecutionProgress(handle.id);
  progress.know(report);
  for await (const watched of handle.events()) {
    progress.take(watched);
    if (watched.seq >= report.seq) break;
  }
  // Only the kernel can work out what a new round begins with.
  progress.rebase(report);
  return progress;
}

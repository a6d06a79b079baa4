// Everything that has happened to an execution up to now, without waiting for more.

import type { ExecutionHandle } from "@segno/engine";

import { ExecutionProgress } from "./execution-progress.ts";

/** What is told of it from now on is new. */
export async function replayProgress(handle: ExecutionHandle): Promise<ExecutionProgress> {
  const report = await handle.status();
  const progress = new ExecutionProgress(handle.id);
  progress.loadSteps(report);
  for await (const watched of handle.events()) {
    progress.apply(watched);
    if (watched.seq >= report.seq) break;
  }
  // Only the kernel can work out what a new round begins with.
  progress.resetFrom(report);
  return progress;
}

// Applies all events of an execution so far, without waiting for more.

import type { ExecutionHandle } from "@segno/engine";

import { ExecutionProgress } from "./execution-progress.ts";

/** Only later events are new to the result. */
export async function replayProgress(handle: ExecutionHandle): Promise<ExecutionProgress> {
  const report = await handle.status();
  const progress = new ExecutionProgress(handle.id);
  progress.loadSteps(report);
  for await (const watched of handle.events()) {
    progress.apply(watched);
    if (watched.seq >= report.seq) break;
  }
  // Only the kernel can derive the statuses at the start of a new round.
  progress.resetFrom(report);
  return progress;
}

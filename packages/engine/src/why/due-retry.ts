// Whether the retry of a failed step is due.

import { stepStatus, stepSnapshot, type EpochMs, type State } from "@segno/kernel";

export function isRetryDue(state: State, step: number, now: EpochMs): boolean {
  if (stepStatus(state, step) !== "retrying") return false;
  const { detail } = stepSnapshot(state, step);
  return detail.kind === "failure" && detail.dueAt !== undefined && detail.dueAt <= now;
}

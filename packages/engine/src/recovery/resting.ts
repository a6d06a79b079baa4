// Resting: an execution that only waits need not be in memory. It leaves, and comes back when it is due or something is posted.

import { progressOf, type EpochMs, type ExecutionId } from "@segno/kernel";
import type { LiveExecution } from "../turn/live-execution.ts";
import { wantedStep } from "../turn/projection.ts";

/** An execution that left memory, and when it is to come back. */
export interface Rested {
  readonly id: ExecutionId;
  readonly wakeAt: EpochMs | null;
}

/** Those that only wait and have not changed since then: the longest idle first, so many at most. */
export function ableToRest(
  live: Iterable<LiveExecution>,
  atMost: number,
  idleSince: EpochMs,
): readonly LiveExecution[] {
  const waiting = [...live].filter((each) => each.state.at <= idleSince && isOnlyWaiting(each));
  return waiting.toSorted((a, b) => a.state.at - b.state.at).slice(0, atMost);
}

/** Nothing runs, nothing is on its way, and nobody has to be told when something can run. */
function isOnlyWaiting(execution: LiveExecution): boolean {
  const { activity, inbox, attempts, state } = execution;
  if (activity !== "idle" || inbox.size > 0 || attempts.size > 0) return false;
  return progressOf(state).active === 0 && wantedStep(state) === undefined;
}

// Resting: an execution that only waits need not be in memory. It leaves, and comes back when it is due or something is posted.

import { progressOf, type EpochMs } from "@segno/kernel";
import type { LiveExecution } from "../turn/live-execution.ts";
import { wakeAt, wantedStep } from "../turn/projection.ts";
import { wakeTimeOfArmed } from "../turn/wait-timers.ts";
import type { WakeTime } from "../turn/wake-time.ts";

/** An execution that can leave memory, and when it is to come back. */
export interface Rested {
  readonly execution: LiveExecution;
  readonly wake: WakeTime | undefined;
}

export interface RestOptions {
  /** How many at most: the longest idle first. */
  readonly atMost: number;
  readonly now: EpochMs;
  /** How long they must have had nothing to do. */
  readonly idleMs: number;
}

/** What is due so soon would have to come back at once. */
const SOON_MS = 1000;

/** Those that only wait, and when each is due. */
export function ableToRest(live: Iterable<LiveExecution>, { atMost, now, idleMs }: RestOptions): readonly Rested[] {
  const able: Rested[] = [];
  const idle = [...live].filter((each) => each.state.at <= now - idleMs && isOnlyWaiting(each));
  for (const execution of idle.toSorted((a, b) => a.state.at - b.state.at)) {
    const dueAt = wakeAt(execution);
    if (able.length < atMost && (dueAt === null || dueAt > now + SOON_MS)) able.push(restedAt(execution, dueAt));
  }
  return able;
}

/** What is armed for it is known now, and dropped when it leaves. */
function restedAt(execution: LiveExecution, dueAt: EpochMs | null): Rested {
  return { execution, wake: dueAt === null ? undefined : wakeTimeOfArmed(execution, dueAt) };
}

/** Nothing runs, nothing is on its way, and nobody has to be told when something can run. */
function isOnlyWaiting(execution: LiveExecution): boolean {
  const { activity, inbox, attempts, state } = execution;
  if (activity !== "idle" || inbox.size > 0 || attempts.size > 0) return false;
  return progressOf(state).active === 0 && wantedStep(state) === undefined;
}

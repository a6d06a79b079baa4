// Resting: an execution that only waits need not be in memory. It leaves, and comes back when it is due or something is posted.
//
//   Z1. Executions that only wait stand in a line in the order in which they began to. Whoever looks for some that can leave
//       begins with those that have waited longest, and looks at no others: making room costs the same however many are in
//       memory.
//   Z2. Executions that are parked because the process lacked something stand elsewhere, and stay in memory.
//   Z3. One that has more to do meanwhile keeps its place until somebody looks at it, and then loses it. It comes back to the
//       line, at its end, when it has nothing to do again; so does one that is due too soon to leave.

import { progressOf, type EpochMs } from "@segno/kernel";
import { Line } from "../line.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import { wantedStep } from "../turn/lack.ts";
import { wakeAt } from "../turn/projection.ts";
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

/** Executions in memory of which nothing runs. */
export class IdleExecutions {
  readonly #now: () => EpochMs;
  readonly #line = new Line<LiveExecution>();
  /** Parked because the process lacked something. */
  readonly #wanting = new Set<LiveExecution>();

  constructor(now: () => EpochMs) {
    this.#now = now;
  }

  /** It has nothing to do from now on, if it is there. */
  add(execution: LiveExecution | undefined): void {
    if (execution === undefined) return;
    this.remove(execution);
    if (wantedStep(execution.state) !== undefined) this.#wanting.add(execution);
    if (!isOnlyWaiting(execution)) return;
    execution.waitsSince = this.#now();
    this.#line.add(execution);
  }

  /** Executions that want something which this process did not have. */
  wanting(): readonly LiveExecution[] {
    return [...this.#wanting].filter(({ state }) => wantedStep(state) !== undefined);
  }

  remove(execution: LiveExecution): void {
    this.#wanting.delete(execution);
    if (execution.waitsSince === undefined) return;
    execution.waitsSince = undefined;
    this.#line.delete(execution);
  }

  /** Those that can leave, and when each is due. They are not in the line any more. */
  take({ atMost, now, idleMs }: RestOptions): readonly Rested[] {
    const able: Rested[] = [];
    for (
      let next = this.#next(now - idleMs);
      next !== undefined && able.length < atMost;
      next = this.#next(now - idleMs)
    ) {
      this.remove(next);
      if (!isOnlyWaiting(next)) continue;
      const dueAt = wakeAt(next);
      if (dueAt === null || dueAt > now + SOON_MS) able.push(restedAt(next, dueAt));
    }
    return able;
  }

  #next(before: number): LiveExecution | undefined {
    const { first } = this.#line;
    return first !== undefined && first.waitsSince! <= before ? first : undefined;
  }
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

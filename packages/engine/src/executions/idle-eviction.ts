// Resting: an execution that only waits need not be in memory. It leaves, and comes back when it is due or something is posted.
//
//   Z1. Executions that only wait stand in a line in the order in which they began to. Whoever looks for some that can leave
//       begins with those that have waited longest, and looks at no others: making room costs the same however many are in
//       memory.
//   Z2. Executions that are parked because the process lacked something stand elsewhere, and stay in memory.
//   Z3. One that has more to do meanwhile keeps its place until somebody looks at it, and then loses it. It comes back to the
//       line, at its end, when it has nothing to do again; so does one that is due too soon to leave.

import { toProgress, type EpochMs } from "@segno/kernel";
import { LinkedList } from "../collections/linked-list.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import { missingRunnerStep } from "../attempts/missing-runner.ts";
import { wakeAt } from "../turn/projection.ts";
import { armedWakeTime } from "../turn/wait-timers.ts";
import type { WakeTime } from "../clock/wake-time.ts";

/** An execution that can leave memory, and when it is to come back. */
export interface Evicted {
  readonly execution: LiveExecution;
  readonly wake: WakeTime | undefined;
}

export interface EvictionOptions {
  /** How many at most: the longest idle first. */
  readonly atMost: number;
  readonly now: EpochMs;
  /** How long they must have had nothing to do. */
  readonly idleMs: number;
}

/** What is due so soon would have to come back at once. */
const EVICT_MIN_WAIT_MS = 1000;

/** Executions in memory of which nothing runs. */
export class IdleExecutions {
  readonly #now: () => EpochMs;
  readonly #list = new LinkedList<LiveExecution>();
  /** Parked because the process lacked something. */
  readonly #parked = new Set<LiveExecution>();

  constructor(now: () => EpochMs) {
    this.#now = now;
  }

  /** It has nothing to do from now on, if it is there. */
  add(execution: LiveExecution | undefined): void {
    if (execution === undefined) return;
    this.remove(execution);
    if (missingRunnerStep(execution.state) !== undefined) this.#parked.add(execution);
    if (!isOnlyWaiting(execution)) return;
    execution.idleSince = this.#now();
    this.#list.add(execution);
  }

  /** Executions that want something which this process did not have. */
  parkedExecutions(): readonly LiveExecution[] {
    return [...this.#parked].filter(({ state }) => missingRunnerStep(state) !== undefined);
  }

  remove(execution: LiveExecution): void {
    this.#parked.delete(execution);
    if (execution.idleSince === undefined) return;
    execution.idleSince = undefined;
    this.#list.delete(execution);
  }

  /** Those that can leave, and when each is due. They are not in the line any more. */
  takeEvictable({ atMost, now, idleMs }: EvictionOptions): readonly Evicted[] {
    const able: Evicted[] = [];
    for (
      let next = this.#next(now - idleMs);
      next !== undefined && able.length < atMost;
      next = this.#next(now - idleMs)
    ) {
      this.remove(next);
      if (!isOnlyWaiting(next)) continue;
      const dueAt = wakeAt(next);
      if (dueAt === null || dueAt > now + EVICT_MIN_WAIT_MS) able.push(toEvicted(next, dueAt));
    }
    return able;
  }

  #next(before: number): LiveExecution | undefined {
    const { first } = this.#list;
    return first !== undefined && first.idleSince! <= before ? first : undefined;
  }
}

/** What is armed for it is known now, and dropped when it leaves. */
function toEvicted(execution: LiveExecution, dueAt: EpochMs | null): Evicted {
  return { execution, wake: dueAt === null ? undefined : armedWakeTime(execution, dueAt) };
}

/** Nothing runs, nothing is on its way, and nobody has to be told when something can run. */
function isOnlyWaiting(execution: LiveExecution): boolean {
  const { activity, deliveries, attempts, state } = execution;
  if (activity !== "idle" || deliveries.size > 0 || attempts.size > 0) return false;
  return toProgress(state).active === 0 && missingRunnerStep(state) === undefined;
}

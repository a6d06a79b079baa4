// Idle eviction: an execution that only waits leaves memory, and is loaded again when it is due or gets a message.
//
//   Z1. Idle executions form a list, ordered by when they became idle. The search for evictable ones starts at the
//       longest idle and looks at no others, so its cost does not depend on the number of executions in memory.
//   Z2. Executions that are parked because the process lacked something are in a separate set, and stay in memory.
//   Z3. An execution that becomes busy again keeps its position until the search reaches it, and then loses it. It
//       returns to the end of the list when it is idle again. The same holds for one that is due too soon to be
//       evicted.

import { activeCount, type EpochMs } from "@segno/kernel";
import { LinkedList } from "../collections/linked-list.ts";
import type { LiveExecution } from "../turn/live-execution.ts";
import { missingPrerequisiteStep } from "../attempts/missing-prerequisite.ts";
import { computeWakeAt } from "../turn/projection.ts";
import { armedWakeTime } from "../turn/execution-timers.ts";
import type { WakeTime } from "../clock/wake-time.ts";

/** An execution that may leave memory, and the time at which it must be loaded again. */
export interface Evictable {
  readonly execution: LiveExecution;
  readonly wake: WakeTime | undefined;
}

export interface EvictionOptions {
  /** The maximum number of executions to evict, longest idle first. */
  readonly atMost: number;
  readonly now: EpochMs;
  /** The minimum time for which they must have been idle. */
  readonly idleMs: number;
}

/** An execution that is due sooner would have to be loaded again at once. */
const EVICT_MIN_WAIT_MS = 1000;

/** The executions in memory without running attempts. */
export class IdleExecutions {
  readonly #now: () => EpochMs;
  readonly #list = new LinkedList<LiveExecution>();
  /** Executions that are parked because the process lacked something. */
  readonly #parked = new Set<LiveExecution>();

  constructor(now: () => EpochMs) {
    this.#now = now;
  }

  /** Marks an execution as idle from now on; no effect if it is undefined. */
  add(execution: LiveExecution | undefined): void {
    if (execution === undefined) return;
    this.remove(execution);
    if (missingPrerequisiteStep(execution.state) !== undefined) this.#parked.add(execution);
    if (!isOnlyWaiting(execution)) return;
    execution.idleSince = this.#now();
    this.#list.add(execution);
  }

  /** Executions that are parked because this process lacked something. */
  parkedExecutions(): readonly LiveExecution[] {
    return [...this.#parked].filter(({ state }) => missingPrerequisiteStep(state) !== undefined);
  }

  remove(execution: LiveExecution): void {
    this.#parked.delete(execution);
    if (execution.idleSince === undefined) return;
    execution.idleSince = undefined;
    this.#list.delete(execution);
  }

  /** Removes and returns the evictable executions, each with its due time. */
  takeEvictable({ atMost, now, idleMs }: EvictionOptions): readonly Evictable[] {
    const evictable: Evictable[] = [];
    for (
      let next = this.#next(now - idleMs);
      next !== undefined && evictable.length < atMost;
      next = this.#next(now - idleMs)
    ) {
      this.remove(next);
      if (!isOnlyWaiting(next)) continue;
      const dueAt = computeWakeAt(next);
      if (dueAt === null || dueAt > now + EVICT_MIN_WAIT_MS) evictable.push(toEvictable(next, dueAt));
    }
    return evictable;
  }

  #next(before: number): LiveExecution | undefined {
    const { first } = this.#list;
    return first !== undefined && first.idleSince! <= before ? first : undefined;
  }
}

/** Reads the time of its timers before the eviction drops them. */
function toEvictable(execution: LiveExecution, dueAt: EpochMs | null): Evictable {
  return { execution, wake: dueAt === null ? undefined : armedWakeTime(execution, dueAt) };
}

/** True if no attempt runs, no commit is pending, and no step waits for admission. */
function isOnlyWaiting(execution: LiveExecution): boolean {
  const { turnStage, deliveries, attempts, state } = execution;
  if (turnStage !== "idle" || deliveries.size > 0 || attempts.size > 0) return false;
  return activeCount(state) === 0 && missingPrerequisiteStep(state) === undefined;
}

// The timers of executions, except attempt deadlines.
//
//   A1. A duration is armed on the monotonic clock and counts from the moment it was recorded. An absolute
//       time, such as `wait until` a date, is armed on the wall clock.
//   A2. A timer that is armed again for the same recorded time keeps its monotonic time, because the wall clock may
//       have been set meanwhile. Equal recorded times do not prove that it is the same timer: after the clock is set
//       back, a later attempt's timer can have the time of an earlier one. So the attempt's epoch is compared too.
//   A3. A duration that is over is over whatever the wall clock says: its happening carries the recorded time or a
//       later one.

import { listTimers, type EpochMs, type NonAttemptTimer } from "@segno/kernel";
import type { LiveExecution } from "./live-execution.ts";
import { ExecutionTimer, type OnDue } from "./execution-timer.ts";
import type { TimerQueue } from "../clock/timer-queue.ts";
import { toMonotonic, toTimeBaseFinder, type TimeBase, type RecordedDue, type WakeTime } from "../clock/wake-time.ts";

export interface TimerQueues {
  readonly monotonicTimers: TimerQueue;
  readonly wallTimers: TimerQueue;
}

export class ExecutionTimers {
  readonly #queues: TimerQueues;
  readonly #onDue: OnDue<LiveExecution>;

  constructor(timers: TimerQueues, onDue: OnDue<LiveExecution>) {
    this.#queues = timers;
    this.#onDue = onDue;
  }

  arm(execution: LiveExecution, timer: NonAttemptTimer, dueAt: EpochMs, timeBase: TimeBase): void {
    const previous = execution.timers.get(timerKey(timer));
    this.disarm(execution, timer);
    const entry = new ExecutionTimer(this.#onDue, execution, timer, dueAt);
    execution.timers.set(timerKey(timer), entry);
    if (entry.isOnWallClock) this.#queues.wallTimers.set(entry, dueAt);
    else
      this.#queues.monotonicTimers.set(
        entry,
        previous?.isFor(timer, dueAt) === true ? previous.dueAt : toMonotonic(dueAt, timeBase),
      );
  }

  /** Arms the timers of the state and disarms all others. */
  armAll(execution: LiveExecution, now: TimeBase, knownWakeTime: WakeTime | undefined): void {
    const current = new Set<number>();
    const findTimeBase = toTimeBaseFinder(knownWakeTime);
    for (const { timer, dueAt } of listTimers(execution.state)) {
      if (timer.kind === "attempt-deadline") continue;
      current.add(timerKey(timer));
      this.arm(execution, timer, dueAt, findTimeBase(timerKey(timer), dueAt) ?? now);
    }
    for (const [key, entry] of execution.timers) if (!current.has(key)) this.#disarm(execution, key, entry);
  }

  disarm(execution: LiveExecution, timer: NonAttemptTimer): void {
    const key = timerKey(timer);
    const entry = execution.timers.get(key);
    if (entry !== undefined) this.#disarm(execution, key, entry);
  }

  disarmAll(execution: LiveExecution): void {
    for (const [key, entry] of execution.timers) this.#disarm(execution, key, entry);
  }

  #disarm({ timers }: LiveExecution, key: number, entry: ExecutionTimer<LiveExecution>): void {
    timers.delete(key);
    (entry.isOnWallClock ? this.#queues.wallTimers : this.#queues.monotonicTimers).drop(entry);
  }
}

/** When an execution that leaves memory is due, from its armed timers. */
export function armedWakeTime({ timers }: LiveExecution, wakeAt: EpochMs): WakeTime {
  let monotonic = Infinity;
  let wall = Infinity;
  const recorded: RecordedDue[] = [];
  for (const [key, entry] of timers) {
    if (!entry.isArmed) continue;
    if (entry.isOnWallClock) wall = Math.min(wall, entry.dueAt);
    else {
      monotonic = Math.min(monotonic, entry.dueAt);
      recorded.push({ key, dueAt: entry.journalDueAt, monotonic: entry.dueAt });
    }
  }
  return { monotonic, wall, wakeAt, recorded };
}

/** One key per kind and step: four for each step, a negative one for the execution itself. */
function timerKey(timer: NonAttemptTimer): number {
  switch (timer.kind) {
    case "execution-deadline":
      return -1;
    case "backoff":
      return timer.step * 4;
    case "wait":
      return timer.step * 4 + 1;
    case "scope-deadline":
      return timer.step * 4 + 2;
    case "grace-end":
      return timer.step * 4 + 3;
  }
}

// The times that executions wait for.
//
//   A1. A duration is armed on the monotonic clock, from the moment at which it was recorded. A time that people wrote, as in
//       a wait until a date, is armed on the wall clock.
//   A2. A timer that was armed for a recorded time keeps its place on the monotonic clock when it is armed for that time again:
//       the wall clock may have been set since. The backoff of a later attempt, and a force after one that has rung, are other
//       timers: a clock that was set back can give them the time that was recorded for the one before.
//   A3. A duration that is over is over whatever the wall clock says: it comes with the recorded time, or a later one.

import { isWrittenTime, listTimers, type EpochMs, type WaitTimer } from "@segno/kernel";
import type { LiveExecution } from "./live-execution.ts";
import type { TimerQueue } from "../clock/timer-queue.ts";
import { TimerEntry } from "../clock/timer-queue.ts";
import { toMonotonic, toReadings, type ClockReading, type RecordedDue, type WakeTime } from "../clock/wake-time.ts";

export type OnDue = (execution: LiveExecution, timer: WaitTimer, notBefore: EpochMs | undefined) => void;

export class WaitEntry extends TimerEntry {
  readonly #onDue: OnDue;
  readonly #execution: LiveExecution;
  readonly #timer: WaitTimer;
  /** The time in the journal. */
  readonly recordedAt: EpochMs;
  /** Whether it is a time of the wall clock. */
  readonly isWall: boolean;

  constructor(onDue: OnDue, execution: LiveExecution, timer: WaitTimer, recordedAt: EpochMs) {
    super();
    this.#onDue = onDue;
    this.#execution = execution;
    this.#timer = timer;
    this.recordedAt = recordedAt;
    this.isWall = isWrittenTime(execution.state, timer);
  }

  /** Whether it was armed for this timer and time, and not for one before it. */
  isFor(timer: WaitTimer, recordedAt: EpochMs): boolean {
    return recordedAt === this.recordedAt && timerEpoch(timer) === timerEpoch(this.#timer);
  }

  override onDue(): void {
    this.#onDue(this.#execution, this.#timer, this.isWall ? undefined : this.recordedAt);
  }
}

export interface TimerQueues {
  readonly monotonicTimers: TimerQueue;
  readonly wallTimers: TimerQueue;
}

export class WaitTimers {
  readonly #wheels: TimerQueues;
  readonly #onDue: OnDue;

  constructor(timers: TimerQueues, onDue: OnDue) {
    this.#wheels = timers;
    this.#onDue = (execution, timer, notBefore) => {
      if (timer.kind === "force") execution.timers.delete(timerKey(timer));
      onDue(execution, timer, notBefore);
    };
  }

  set(execution: LiveExecution, timer: WaitTimer, dueAt: EpochMs, reading: ClockReading): void {
    const before = execution.timers.get(timerKey(timer));
    this.drop(execution, timer);
    const entry = new WaitEntry(this.#onDue, execution, timer, dueAt);
    execution.timers.set(timerKey(timer), entry);
    if (entry.isWall) this.#wheels.wallTimers.set(entry, dueAt);
    else
      this.#wheels.monotonicTimers.set(
        entry,
        before?.isFor(timer, dueAt) === true ? before.dueAt : toMonotonic(dueAt, reading),
      );
  }

  /** Those of a folded state, and no others. */
  setAll(execution: LiveExecution, now: ClockReading, known: WakeTime | undefined): void {
    const wanted = new Set<number>();
    const readingOf = toReadings(known);
    for (const { timer, dueAt } of listTimers(execution.state)) {
      if (timer.kind === "attempt-deadline") continue;
      wanted.add(timerKey(timer));
      this.set(execution, timer, dueAt, readingOf(timerKey(timer), dueAt) ?? now);
    }
    for (const [key, entry] of execution.timers) if (!wanted.has(key)) this.#drop(execution, key, entry);
  }

  drop(execution: LiveExecution, timer: WaitTimer): void {
    const key = timerKey(timer);
    const entry = execution.timers.get(key);
    if (entry !== undefined) this.#drop(execution, key, entry);
  }

  dropAll(execution: LiveExecution): void {
    for (const [key, entry] of execution.timers) this.#drop(execution, key, entry);
  }

  #drop({ timers }: LiveExecution, key: number, entry: WaitEntry): void {
    timers.delete(key);
    (entry.isWall ? this.#wheels.wallTimers : this.#wheels.monotonicTimers).drop(entry);
  }
}

/** When an execution that leaves memory is due, from what is armed for it. */
export function wakeTimeOfArmed({ timers }: LiveExecution, wakeAt: EpochMs): WakeTime {
  let monotonic = Infinity;
  let wall = Infinity;
  const recorded: RecordedDue[] = [];
  for (const [key, entry] of timers) {
    if (entry.bucket === undefined) continue;
    if (entry.isWall) wall = Math.min(wall, entry.dueAt);
    else {
      monotonic = Math.min(monotonic, entry.dueAt);
      recorded.push({ key, dueAt: entry.recordedAt, monotonic: entry.dueAt });
    }
  }
  return { monotonic, wall, wakeAt, recorded };
}

function timerEpoch(timer: WaitTimer): number {
  return timer.kind === "backoff" ? timer.epoch : 0;
}

/** One timer of a kind and a step at a time: three keys a step, those of the execution itself below zero. */
function timerKey(timer: WaitTimer): number {
  switch (timer.kind) {
    case "execution-deadline":
      return -1;
    case "force":
      return -2;
    case "backoff":
      return timer.step * 3;
    case "wait":
      return timer.step * 3 + 1;
    case "scope-deadline":
      return timer.step * 3 + 2;
  }
}

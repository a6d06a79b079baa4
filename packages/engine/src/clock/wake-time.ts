// When an execution that is not in memory is due. The journal holds wall-clock times, and the wall clock may be set, so
// the monotonic times of durations are kept while the execution is out of memory.

import type { EpochMs } from "@segno/kernel";

/** A recorded time, and the monotonic time at which its duration ends. */
export interface RecordedDue {
  /** The key of the timer; undefined if only the store is known. Two timers may have the same recorded time. */
  readonly key?: number;
  readonly dueAt: EpochMs;
  readonly monotonic: number;
}

export interface WakeTime {
  /** The execution is loaded when either clock reaches its time. `Infinity` means never. */
  readonly monotonic: number;
  readonly wall: number;
  /** The wake-up time in the store; undefined if it did not come from there. */
  readonly wakeAt?: EpochMs;
  readonly recorded: readonly RecordedDue[];
}

/** A wall-clock time and the monotonic time that stands for it. */
export interface TimeBase {
  /** Wall-clock time, as the journal records it. */
  readonly at: number;
  readonly monotonic: number;
}

/** When the duration that ends at a recorded time is over, on the monotonic clock. */
export function toMonotonic(dueAt: EpochMs, { at, monotonic }: TimeBase): number {
  return monotonic + (dueAt - at);
}

/** A duration is over whatever the wall clock says: its happening carries the recorded end or a later time. */
export function laterTime(now: EpochMs, notBefore: EpochMs | undefined): EpochMs {
  return notBefore !== undefined && notBefore > now ? notBefore : now;
}

/** Finds the time base for a timer and its recorded time; undefined if nothing is known of the execution. */
export type TimeBaseFinder = (key: number, dueAt: EpochMs) => TimeBase | undefined;

export function toTimeBaseFinder({ recorded = [] }: Partial<WakeTime> = {}): TimeBaseFinder {
  // Maps, because an execution may have 100,000 timers.
  const byKey = new Map(recorded.map((due) => [due.key, due]));
  const byTime = new Map(recorded.map((due) => [due.dueAt, due]));
  return (key, dueAt) => {
    const own = byKey.get(key);
    const due = own?.dueAt === dueAt ? own : (byTime.get(dueAt) ?? recorded[0]);
    return due === undefined ? undefined : { at: due.dueAt, monotonic: due.monotonic };
  };
}

/**
 * The wake-up time as the store has it. Until the execution is loaded, it is unknown whether it waits for a duration or
 * for an absolute time, so either clock may wake it. A clock that was set back never makes a duration longer than it was
 * when recorded.
 */
export function toWakeTime(wakeAt: EpochMs, updatedAt: EpochMs, now: TimeBase): WakeTime {
  const monotonic = toMonotonic(wakeAt, { at: Math.max(now.at, updatedAt), monotonic: now.monotonic });
  return { monotonic, wall: wakeAt, wakeAt, recorded: [{ dueAt: wakeAt, monotonic }] };
}

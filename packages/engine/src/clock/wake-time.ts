// When an execution that is not in memory is due. Its journal holds times of the wall clock, which may be set meanwhile; so
// the times at which its durations end on the monotonic clock are kept while it is away.

import type { EpochMs } from "@segno/kernel";

/** A time of the journal, and the time of the monotonic clock at which the duration behind it ends. */
export interface RecordedDue {
  /** Which timer of the execution it is; nothing where only the store tells. Two of them may have one recorded time. */
  readonly key?: number;
  readonly dueAt: EpochMs;
  readonly monotonic: number;
}

export interface WakeTime {
  /** When either clock shows its time, the execution is called for. `Infinity` means never. */
  readonly monotonic: number;
  readonly wall: number;
  /** What the store has as the time of the wake-up; nothing when it is not from there. */
  readonly wakeAt?: EpochMs;
  readonly recorded: readonly RecordedDue[];
}

/** Times of the clocks that were read together. */
export interface ClockReading {
  /** Of the wall clock, as the journal has it. */
  readonly at: number;
  readonly monotonic: number;
}

/** When a duration that ends at a time of the journal is over. */
export function toMonotonic(dueAt: EpochMs, { at, monotonic }: ClockReading): number {
  return monotonic + (dueAt - at);
}

/** A duration is over whatever the wall clock says: that it is happens at its recorded end, or later. */
export function laterTime(now: EpochMs, notBefore: EpochMs | undefined): EpochMs {
  return notBefore !== undefined && notBefore > now ? notBefore : now;
}

/** Finds the reading that belongs to a timer and its time in the journal; nothing when nothing is known about the execution. */
export type Readings = (key: number, dueAt: EpochMs) => ClockReading | undefined;

export function toReadings({ recorded = [] }: Partial<WakeTime> = {}): Readings {
  // An execution may wait for a hundred thousand times: each is found at once.
  const byKey = new Map(recorded.map((due) => [due.key, due]));
  const byTime = new Map(recorded.map((due) => [due.dueAt, due]));
  return (key, dueAt) => {
    const own = byKey.get(key);
    const due = own?.dueAt === dueAt ? own : (byTime.get(dueAt) ?? recorded[0]);
    return due === undefined ? undefined : { at: due.dueAt, monotonic: due.monotonic };
  };
}

/**
 * What a store tells of an execution. Whether it waits for a duration or for a time that somebody wrote is not known until it
 * is loaded, so it is called for as soon as either clock says so. A clock that was set back never makes a duration longer
 * than it was when it was recorded.
 */
export function toWakeTime(wakeAt: EpochMs, updatedAt: EpochMs, now: ClockReading): WakeTime {
  const monotonic = toMonotonic(wakeAt, { at: Math.max(now.at, updatedAt), monotonic: now.monotonic });
  return { monotonic, wall: wakeAt, wakeAt, recorded: [{ dueAt: wakeAt, monotonic }] };
}

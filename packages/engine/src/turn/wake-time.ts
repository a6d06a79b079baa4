// When an execution that is not in memory is due. Its journal holds times of the wall clock, which may be set meanwhile; so
// the times at which its durations end on the monotonic clock are kept while it is away.

import type { EpochMs } from "@segno/kernel";

/** A time of the journal, and the time of the monotonic clock at which the duration behind it ends. */
export interface RecordedDue {
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
export function monotonicOf(dueAt: EpochMs, { at, monotonic }: ClockReading): number {
  return monotonic + (dueAt - at);
}

/** A duration is over whatever the wall clock says: that it is happens at its recorded end, or later. */
export function laterOf(now: EpochMs, notBefore: EpochMs | undefined): EpochMs {
  return notBefore !== undefined && notBefore > now ? notBefore : now;
}

/** The reading that belongs to a time of the journal; nothing when nothing is known about the execution. */
export function readingFor(dueAt: EpochMs, known: WakeTime | undefined): ClockReading | undefined {
  const due = known?.recorded.find((each) => each.dueAt === dueAt) ?? known?.recorded[0];
  return due === undefined ? undefined : { at: due.dueAt, monotonic: due.monotonic };
}

/**
 * What a store tells of an execution. Whether it waits for a duration or for a time that somebody wrote is not known until it
 * is loaded, so it is called for as soon as either clock says so. A clock that was set back never makes a duration longer
 * than it was when it was recorded.
 */
export function wakeTimeOf(wakeAt: EpochMs, updatedAt: EpochMs, now: ClockReading): WakeTime {
  const monotonic = monotonicOf(wakeAt, { at: Math.max(now.at, updatedAt), monotonic: now.monotonic });
  return { monotonic, wall: wakeAt, wakeAt, recorded: [{ dueAt: wakeAt, monotonic }] };
}

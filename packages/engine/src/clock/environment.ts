// The environment: time, chance and the moment after this one. Everything else in the engine gets them from here, so that
// a simulator can bring its own and a run can be repeated.
//
// There are two clocks. The wall clock is what people read; it may be set back or forward at any moment. The monotonic clock
// counts the time that passes, from an arbitrary origin. Durations (polls, timeouts, backoffs, ages) are measured with the
// monotonic clock. The wall clock is for times that are written down, and for times that people wrote.

import type { EpochMs } from "@segno/kernel";

/** When an alarm rings: as soon as either clock shows its time. `Infinity` means never. */
export interface AlarmTime {
  readonly monotonic: number;
  readonly wall: number;
}

export interface Environment {
  /** Which process this is, for people: it is written down with every attempt (FAIL-5). */
  readonly workerId: string;
  /** The wall clock. */
  now(): EpochMs;
  /** The monotonic clock, in milliseconds. It never goes back; time in which the machine was suspended counts. */
  monotonic(): number;
  /**
   * Rings once, not before its time. A new alarm replaces the one before; none is set with nothing. A wall clock that is set
   * past the time makes it ring within a second.
   */
  alarm(due: AlarmTime | undefined, ring: () => void): void;
  /** Calls back when what is going on now is over, and what came in from outside meanwhile has been heard. */
  defer(work: () => void): void;
  /** Calls back when what is going on now is over; before anything from outside, but not so often that it goes unheard. */
  soon(work: () => void): void;
  /** A new id, unique and rising with time. */
  id(): string;
  /** 32 bits that nobody can guess. */
  seed(): number;
}

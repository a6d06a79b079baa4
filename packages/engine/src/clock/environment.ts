// The environment: time, chance and the moment after this one. Everything else in the engine gets them from here, so that
// a simulator can bring its own and a run can be repeated.

import type { EpochMs } from "@segno/kernel";

export interface Environment {
  /** Which process this is, for people: it is written down with every attempt (FAIL-5). */
  readonly place: string;
  now(): EpochMs;
  /** Rings once, not before then. A new alarm replaces the one before; none is set with nothing. */
  alarm(dueAt: EpochMs | undefined, ring: () => void): void;
  /** Calls back when what is going on now is over, and what came in from outside meanwhile has been heard. */
  defer(work: () => void): void;
  /** Calls back when what is going on now is over; before anything from outside, but not so often that it goes unheard. */
  soon(work: () => void): void;
  /** A new id, unique and rising with time. */
  id(): string;
  /** 32 bits that nobody can guess. */
  seed(): number;
}

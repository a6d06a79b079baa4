// The scheduler uses monotonic time, so that setting the wall clock neither refills a quota nor keeps it used up. Times
// from the journal and times shown to people are converted. In this folder, `nowMs`, `since` and all other times are
// monotonic unless a comment names the wall clock.

/** Too small to matter, and still representable in a double that holds milliseconds since 1970. */
const TIE_BREAK_MS = 2 ** -10;

export interface SchedulerClock {
  monotonic(): number;
  /** The wall clock. */
  now(): number;
}

export class SchedulerTime {
  readonly #clock: SchedulerClock;
  #lastUniqueMs = Number.NEGATIVE_INFINITY;

  constructor(clock: SchedulerClock) {
    this.#clock = clock;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  /** The given monotonic time, or slightly later, so that no two calls return the same time. */
  uniqueMonotonic(nowMs: number): number {
    this.#lastUniqueMs = Math.max(nowMs, this.#lastUniqueMs + TIE_BREAK_MS);
    return this.#lastUniqueMs;
  }

  /** The wall-clock time at the monotonic time `atMs`, unless the wall clock is set in between. */
  toWallClock(atMs: number): number {
    return Math.round(this.#clock.now() + (atMs - this.monotonic()));
  }

  /** The monotonic time at the wall-clock time `atMs`, unless the wall clock was set in between. */
  fromWallClock(atMs: number): number {
    return this.monotonic() + (atMs - this.#clock.now());
  }
}

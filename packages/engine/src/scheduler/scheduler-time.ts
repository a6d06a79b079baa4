// The time of the scheduler: monotonic, so that a wall clock that is set neither opens a quota nor keeps it closed. Times in
// the journal, and times for people, are converted.

/** So small that it counts for nothing, and still seen in a number of milliseconds since 1970. */
const MOMENT_MS = 2 ** -10;

export interface SchedulerClock {
  monotonic(): number;
  /** The wall clock. */
  now(): number;
}

export class SchedulerTime {
  readonly #clock: SchedulerClock;
  #arrivalMs = Number.NEGATIVE_INFINITY;

  constructor(clock: SchedulerClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.monotonic();
  }

  /** Now, and after everybody who came before. */
  uniqueNow(nowMs: number): number {
    this.#arrivalMs = Math.max(nowMs, this.#arrivalMs + MOMENT_MS);
    return this.#arrivalMs;
  }

  /** What the wall clock will show then, if nobody sets it. */
  toWallClock(atMs: number): number {
    return Math.round(this.#clock.now() + (atMs - this.now()));
  }

  fromWallClock(atMs: number): number {
    return this.now() + (atMs - this.#clock.now());
  }
}

// Time that never goes back. A system's clock may be set back by an hour; nobody is to wait that hour for a quota to fill.

/** So small that it counts for nothing, and still seen in a number of milliseconds since 1970. */
const MOMENT_MS = 2 ** -10;

export class SteadyTime {
  readonly #clock: () => number;
  #aheadMs = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #arrivalMs = Number.NEGATIVE_INFINITY;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  now(): number {
    const nowMs = this.#clock() + this.#aheadMs;
    if (nowMs >= this.#lastMs) return (this.#lastMs = nowMs);
    this.#aheadMs += this.#lastMs - nowMs;
    return this.#lastMs;
  }

  /** Now, and after everybody who came before. */
  arrival(nowMs: number): number {
    this.#arrivalMs = Math.max(nowMs, this.#arrivalMs + MOMENT_MS);
    return this.#arrivalMs;
  }

  /** What the clock will show then. */
  onClock(atMs: number): number {
    return atMs - this.#aheadMs;
  }

  fromClock(atMs: number): number {
    return atMs + this.#aheadMs;
  }
}

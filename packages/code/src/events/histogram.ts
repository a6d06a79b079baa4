// A histogram of durations as plain values.

/** Durations, counted in buckets. */
export interface Histogram {
  readonly count: number;
  readonly sum: number;
  /** Undefined if nothing was counted. */
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** Cumulative: each bucket counts the values up to `le`. Larger values are in `count` alone. */
  readonly buckets: readonly HistogramBucket[];
}

/** The number of values up to a bound. */
export interface HistogramBucket {
  readonly le: number;
  readonly count: number;
}

/** Seconds: agents work for minutes, merges take less than a second. */
const LIMITS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 14_400] as const;

export class HistogramFold {
  readonly #counts: number[] = LIMITS.map(() => 0);
  #count = 0;
  #sum = 0;
  #min: number | undefined;
  #max: number | undefined;

  add(value: number): void {
    this.#count++;
    this.#sum += value;
    this.#min = Math.min(value, this.#min ?? value);
    this.#max = Math.max(value, this.#max ?? value);
    LIMITS.forEach((limit, index) => {
      if (value <= limit) this.#counts[index]!++;
    });
  }

  snapshot(): Histogram {
    const buckets = LIMITS.map((le, index) => ({ le, count: this.#counts[index]! }));
    return { count: this.#count, sum: this.#sum, min: this.#min, max: this.#max, buckets };
  }
}

// A histogram as plain values.

/** Values, counted in buckets. */
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

/** Seconds of workflows, tasks and attempts: some take milliseconds, agents work for minutes. */
const WORK_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 14_400] as const;

/** Two histograms with the same buckets as one. */
export function addHistograms(one: Histogram, other: Histogram): Histogram {
  return {
    count: one.count + other.count,
    sum: one.sum + other.sum,
    min: one.min === undefined || other.min === undefined ? (one.min ?? other.min) : Math.min(one.min, other.min),
    max: one.max === undefined || other.max === undefined ? (one.max ?? other.max) : Math.max(one.max, other.max),
    buckets: one.buckets.map(({ le, count }, index) => ({ le, count: count + (other.buckets[index]?.count ?? 0) })),
  };
}

/** Counts values. Adding a value allocates nothing. */
export class HistogramFold {
  readonly #limits: readonly number[];
  /** The values above the bucket before and up to the limit of the bucket. */
  readonly #counts: Float64Array;
  #count = 0;
  #sum = 0;
  #min = Infinity;
  #max = -Infinity;

  /** The limits rise. */
  constructor(limits: readonly number[] = WORK_SECONDS) {
    this.#limits = limits;
    this.#counts = new Float64Array(limits.length);
  }

  add(value: number): void {
    const limits = this.#limits;
    this.#count++;
    this.#sum += value;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    for (let index = 0; index < limits.length; index++)
      if (value <= limits[index]!) {
        this.#counts[index]!++;
        return;
      }
  }

  snapshot(): Histogram {
    let total = 0;
    const buckets = this.#limits.map((le, index) => ({ le, count: (total += this.#counts[index]!) }));
    const [min, max] = this.#count === 0 ? [undefined, undefined] : [this.#min, this.#max];
    return { count: this.#count, sum: this.#sum, min, max, buckets };
  }
}

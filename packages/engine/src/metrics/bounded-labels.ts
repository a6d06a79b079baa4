// Counts by the value of a label. The number of values is bounded, because a monitoring system stores each for ever.

/** The label of everything beyond the bound. */
const OTHER = "other";
const VALUES_MAX = 100;

export class BoundedLabels<Counts extends object> {
  readonly #create: () => Counts;
  readonly #counts = new Map<string, Counts>();
  /** Consecutive reads are mostly for one value. */
  #lastValue: string | undefined;
  #last: Counts | undefined;

  constructor(create: () => Counts) {
    this.#create = create;
  }

  /** The counts of a value, or of `other` if there are too many values. */
  of(value: string): Counts {
    if (value === this.#lastValue) return this.#last!;
    const counts = this.#find(value);
    this.#lastValue = value;
    this.#last = counts;
    return counts;
  }

  /** Each value with something that is computed from its counts. */
  map<Result>(toResult: (value: string, counts: Counts) => Result): readonly Result[] {
    return Array.from(this.#counts, ([value, counts]) => toResult(value, counts));
  }

  #find(value: string): Counts {
    const isKnown = this.#counts.has(value) || this.#counts.size < VALUES_MAX;
    const key = isKnown ? value : OTHER;
    let counts = this.#counts.get(key);
    if (counts === undefined) this.#counts.set(key, (counts = this.#create()));
    return counts;
  }
}

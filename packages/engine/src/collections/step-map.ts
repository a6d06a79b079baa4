// A map from step indexes of one execution to values. Indexes are small and dense, and every step is added and removed
// once: an array takes a tenth of the time of a `Map`, which must also rehash after removals.

export class StepMap<Value> {
  /** Without holes, so that a look-up is one array access. */
  readonly #values: (Value | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(step: number): Value | undefined {
    return step < this.#values.length ? this.#values[step] : undefined;
  }

  has(step: number): boolean {
    return this.get(step) !== undefined;
  }

  set(step: number, value: Value): void {
    const values = this.#values;
    while (values.length <= step) values.push(undefined);
    if (values[step] === undefined) this.#size++;
    values[step] = value;
  }

  delete(step: number): boolean {
    if (this.get(step) === undefined) return false;
    this.#values[step] = undefined;
    this.#size--;
    return true;
  }

  *values(): Generator<Value> {
    for (const [, value] of this) yield value;
  }

  /** By index; an entry that is removed during the iteration is skipped. */
  *[Symbol.iterator](): Generator<readonly [number, Value]> {
    let left = this.#size;
    for (let step = 0; left > 0 && step < this.#values.length; step++) {
      const value = this.#values[step];
      if (value === undefined) continue;
      left--;
      yield [step, value];
    }
  }
}

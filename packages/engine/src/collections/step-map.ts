// What belongs to steps of one execution, by their places. Places are small and dense, and every step comes in and goes out
// again: a list does that in a tenth of the time of a map, which also has to tidy up behind those who left.

export class StepMap<Value> {
  /** Without holes, so that finding a place is one look. */
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

  /** By their places; whoever leaves meanwhile is passed over. */
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

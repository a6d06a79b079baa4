// The claim queue of each waiting step of an execution, and the position in it. Takes eight bytes per step and makes
// withdrawal O(1).

/** Small enough for V8 to store the array inside the object. */
const STEPS_MIN = 8;

export class StepPositions {
  /** Per step: the number of its claim queue (0 for none), then its position there. */
  #columns = new Int32Array(STEPS_MIN * 2);

  /** 0 if the step does not wait. */
  queueAt(step: number): number {
    return this.#columns[step * 2] ?? 0;
  }

  positionAt(step: number): number {
    return this.#columns[step * 2 + 1]!;
  }

  set(step: number, queue: number, position: number): void {
    if (step * 2 >= this.#columns.length) this.#growFor(step);
    this.#columns[step * 2] = queue;
    this.#columns[step * 2 + 1] = position;
  }

  #growFor(step: number): void {
    let steps = this.#columns.length / 2;
    while (steps <= step) steps *= 2;
    const columns = new Int32Array(steps * 2);
    columns.set(this.#columns);
    this.#columns = columns;
  }
}

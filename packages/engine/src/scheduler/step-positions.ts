// Positions: in which claim queue each waiting step of an execution stands, and at which place. Eight bytes a step, so that who
// steps out is found however many wait.

/** Small enough to be kept with the object itself. */
const STEPS_MIN = 8;

export class StepPositions {
  /** By step: the number of its claim queue, or 0 for none; then its place there. */
  #columns = new Int32Array(STEPS_MIN * 2);

  /** 0 when it waits nowhere. */
  queueAt(step: number): number {
    return this.#columns[step * 2] ?? 0;
  }

  positionAt(step: number): number {
    return this.#columns[step * 2 + 1]!;
  }

  set(step: number, queue: number, place: number): void {
    if (step * 2 >= this.#columns.length) this.#growFor(step);
    this.#columns[step * 2] = queue;
    this.#columns[step * 2 + 1] = place;
  }

  #growFor(step: number): void {
    let steps = this.#columns.length / 2;
    while (steps <= step) steps *= 2;
    const columns = new Int32Array(steps * 2);
    columns.set(this.#columns);
    this.#columns = columns;
  }
}

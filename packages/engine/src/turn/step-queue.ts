// The steps that a turn has still to decide on, first in, first out.

import type { StepIndex } from "@segno/kernel";

export class StepQueue {
  /** Allocated with the first step: most turns have none. */
  #steps: StepIndex[] | undefined;
  #head = 0;

  get size(): number {
    return this.#steps === undefined ? 0 : this.#steps.length - this.#head;
  }

  get first(): StepIndex | undefined {
    return this.#steps?.[this.#head];
  }

  add(step: StepIndex): void {
    if (this.#steps === undefined) this.#steps = [step];
    else this.#steps.push(step);
  }

  /** Removes the first step. */
  drop(): void {
    if (++this.#head < this.#steps!.length) return;
    this.#steps = undefined;
    this.#head = 0;
  }
}

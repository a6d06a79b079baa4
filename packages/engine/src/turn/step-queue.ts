// The steps that a turn has still to decide on, first in, first out.

import type { StepIndex } from "@segno/kernel";

export class StepQueue {
  /** Allocated with the first step: most turns have none. */
  #steps: StepIndex[] | undefined;
  #taken = 0;

  get size(): number {
    return this.#steps === undefined ? 0 : this.#steps.length - this.#taken;
  }

  get first(): StepIndex | undefined {
    return this.#steps?.[this.#taken];
  }

  add(step: StepIndex): void {
    if (this.#steps === undefined) this.#steps = [step];
    else this.#steps.push(step);
  }

  /** Removes the first step. */
  drop(): void {
    if (++this.#taken < this.#steps!.length) return;
    this.#steps = undefined;
    this.#taken = 0;
  }
}

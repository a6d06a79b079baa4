// Steps that wait to be decided on within a turn, first in, first out.

import type { StepIndex } from "@segno/kernel";

export class StepLine {
  readonly #steps: StepIndex[] = [];
  #taken = 0;

  get size(): number {
    return this.#steps.length - this.#taken;
  }

  get first(): StepIndex | undefined {
    return this.#steps[this.#taken];
  }

  add(step: StepIndex): void {
    this.#steps.push(step);
  }

  /** The first one is dealt with. */
  drop(): void {
    if (++this.#taken === this.#steps.length) this.#steps.length = this.#taken = 0;
  }
}

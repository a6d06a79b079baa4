// Retries of one lane, at the breaker of their agent. They rank by the time at which the first of them came, and by nothing else.

import { Ranked, type Heap } from "./heap.ts";
import type { Lane } from "./lane.ts";

export class Retries extends Ranked {
  readonly lane: Lane;
  readonly #heap: Heap<Retries>;

  constructor(lane: Lane, heap: Heap<Retries>) {
    super();
    this.lane = lane;
    this.#heap = heap;
  }

  /** Another one is first in the lane, or nobody is in it any more. */
  follow(): void {
    if (this.lane.steps.size === 0) return this.leave();
    this.since = this.lane.steps.since;
    if (this.at < 0) this.#heap.add(this);
    else this.#heap.moved(this);
  }

  leave(): void {
    if (this.at >= 0) this.#heap.delete(this);
  }
}

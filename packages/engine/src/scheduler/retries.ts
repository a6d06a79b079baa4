// Retries of one claim queue, at the breaker of their agent. They rank by the time at which the first of them came, and by nothing else.

import { Ranked, type Heap } from "../collections/heap.ts";
import type { Steps } from "./steps.ts";

export class Retries<Queue extends { readonly steps: Steps }> extends Ranked {
  readonly queue: Queue;
  readonly #heap: Heap<Retries<Queue>>;

  constructor(queue: Queue, heap: Heap<Retries<Queue>>) {
    super();
    this.queue = queue;
    this.#heap = heap;
  }

  /** Another one is first in the claim queue, or nobody is in it any more. */
  follow(): void {
    if (this.queue.steps.size === 0) return this.leave();
    this.since = this.queue.steps.since;
    if (this.at < 0) this.#heap.add(this);
    else this.#heap.reposition(this);
  }

  leave(): void {
    if (this.at >= 0) this.#heap.delete(this);
  }
}

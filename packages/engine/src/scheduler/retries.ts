// Retries of one claim queue, at the breaker of their agent. They rank by the time at which the first of them came, and by nothing else.

import { Ranked, type Heap } from "../collections/heap.ts";
import type { ClaimQueue } from "./claim-queue.ts";

export class Retries extends Ranked {
  readonly queue: ClaimQueue;
  readonly #heap: Heap<Retries>;

  constructor(queue: ClaimQueue, heap: Heap<Retries>) {
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

// The retries in one claim queue, as the breaker of their agent ranks them: only by the time at which the first began
// to wait.

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

  /** The claim queue has another first step, or is empty. */
  updateRank(): void {
    if (this.queue.steps.size === 0) return this.leave();
    this.since = this.queue.steps.since;
    if (this.at < 0) this.#heap.add(this);
    else this.#heap.reposition(this);
  }

  leave(): void {
    if (this.at >= 0) this.#heap.delete(this);
  }
}

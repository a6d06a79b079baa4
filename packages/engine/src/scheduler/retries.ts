// An item of the heap from which a breaker chooses its probe: one claim queue whose steps are retries. The heap orders the
// claim queues only by the time at which their first step began to wait.

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

  /** The claim queue has another first step, or is empty. */
  updateRank(): void {
    if (this.queue.steps.size === 0) return this.leave();
    this.since = this.queue.steps.since;
    if (this.index < 0) this.#heap.add(this);
    else this.#heap.reposition(this);
  }

  leave(): void {
    if (this.index >= 0) this.#heap.delete(this);
  }
}

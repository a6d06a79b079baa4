// A candidate for the probe of a breaker: one claim queue whose steps are retries. The breaker chooses from a heap of
// candidates, which orders them only by the time at which their first step began to wait.

import { Ranked, type Heap } from "../collections/heap.ts";
import type { Steps } from "./steps.ts";

export class ProbeCandidate<Queue extends { readonly steps: Steps }> extends Ranked {
  readonly queue: Queue;
  readonly #heap: Heap<ProbeCandidate<Queue>>;

  constructor(claimQueue: Queue, heap: Heap<ProbeCandidate<Queue>>) {
    super();
    this.queue = claimQueue;
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

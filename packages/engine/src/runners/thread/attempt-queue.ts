// Attempts that wait for a worker thread, first in, first out. An attempt that was withdrawn (aborted while it waited)
// stays in the queue and is skipped when it comes first, so every operation is O(1) amortized.

import { Fifo } from "@segno/kernel/fifo";
import type { ThreadAttempt } from "./thread-attempt.ts";

export class AttemptQueue {
  readonly #attempts = new Fifo<ThreadAttempt>();

  add(threadAttempt: ThreadAttempt): void {
    this.#attempts.add(threadAttempt);
  }

  /** Adds an attempt at the front. */
  addFirst(threadAttempt: ThreadAttempt): void {
    this.#attempts.addFirst(threadAttempt);
  }

  dequeue(): ThreadAttempt | undefined {
    for (let first = this.#attempts.take(); first !== undefined; first = this.#attempts.take())
      if (first.isWaiting) return first;
    return undefined;
  }

  all(): readonly ThreadAttempt[] {
    return this.#attempts.toArray();
  }
}

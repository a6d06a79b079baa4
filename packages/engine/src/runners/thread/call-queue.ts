// Attempts that wait for a thread, first in, first out. A withdrawn attempt stays in the queue and is skipped when it
// comes first, so every operation is O(1) amortized.

import { Fifo } from "@segno/kernel/fifo";
import type { ThreadCall } from "./thread-call.ts";

export class CallQueue {
  readonly #calls = new Fifo<ThreadCall>();

  add(call: ThreadCall): void {
    this.#calls.add(call);
  }

  /** Adds an attempt at the front. */
  addFirst(call: ThreadCall): void {
    this.#calls.addFirst(call);
  }

  dequeue(): ThreadCall | undefined {
    for (let call = this.#calls.take(); call !== undefined; call = this.#calls.take()) if (call.isWaiting) return call;
    return undefined;
  }

  all(): readonly ThreadCall[] {
    return this.#calls.toArray();
  }
}

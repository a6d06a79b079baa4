// Attempts that wait for a thread, first in, first out. A withdrawn attempt stays in the queue and is skipped when it
// comes first, so every operation is O(1) amortized.

import type { ThreadCall } from "./thread-call.ts";

export class CallQueue {
  /** In reverse order: the next attempt is the last element. */
  #next: ThreadCall[] = [];
  #incoming: ThreadCall[] = [];

  add(call: ThreadCall): void {
    this.#incoming.push(call);
  }

  /** Adds an attempt at the front. */
  addFirst(call: ThreadCall): void {
    this.#next.push(call);
  }

  take(): ThreadCall | undefined {
    for (let call = this.#first(); call !== undefined; call = this.#first()) if (call.isWaiting) return call;
    return undefined;
  }

  all(): readonly ThreadCall[] {
    return [...this.#next.toReversed(), ...this.#incoming];
  }

  #first(): ThreadCall | undefined {
    if (this.#next.length === 0) {
      this.#next = this.#incoming.toReversed();
      this.#incoming = [];
    }
    return this.#next.pop();
  }
}

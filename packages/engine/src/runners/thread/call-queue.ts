// Attempts that wait for a thread, first in, first out. Those that were withdrawn stay where they are until it is their turn,
// and are passed over then; so every operation costs the same, however many wait.

import type { ThreadCall } from "./thread-call.ts";

export class CallQueue {
  /** The next one comes last. */
  #next: ThreadCall[] = [];
  #coming: ThreadCall[] = [];

  add(call: ThreadCall): void {
    this.#coming.push(call);
  }

  /** Before all others. */
  putBack(call: ThreadCall): void {
    this.#next.push(call);
  }

  take(): ThreadCall | undefined {
    for (let call = this.#first(); call !== undefined; call = this.#first()) if (call.isWaiting) return call;
    return undefined;
  }

  all(): readonly ThreadCall[] {
    return [...this.#next.toReversed(), ...this.#coming];
  }

  #first(): ThreadCall | undefined {
    if (this.#next.length === 0) {
      this.#next = this.#coming.toReversed();
      this.#coming = [];
    }
    return this.#next.pop();
  }
}

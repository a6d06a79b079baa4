// Who waits for the end of an execution, whether it is in memory or rests in the store.

import type { ExecutionId, State } from "@segno/kernel";

/** Told the state in which an execution ended; nothing when it is not seen to here any more. */
export type EndListener = (state: State | undefined) => void;

export class EndListeners {
  readonly #listeners = new Map<ExecutionId, Set<EndListener>>();

  /** Returns a function that unsubscribes. */
  add(id: ExecutionId, listener: EndListener): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(id, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  tell(id: ExecutionId, state: State | undefined): void {
    const listeners = this.#listeners.get(id);
    this.#listeners.delete(id);
    for (const listener of listeners ?? []) listener(state);
  }

  /** Nothing is seen to here any more. */
  tellAll(): void {
    for (const id of this.#listeners.keys()) this.tell(id, undefined);
  }
}

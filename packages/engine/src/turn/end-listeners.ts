// Listeners for the end of executions, whether an execution is in memory or only in the store.

import type { ExecutionId, State } from "@segno/kernel";

/**
 * Called with the final state, or with `undefined` if the execution leaves this process before its end, or the process
 * stops watching.
 */
export type EndListener = (state: State | undefined) => void;

export class EndListeners {
  readonly #listeners = new Map<ExecutionId, Set<EndListener>>();

  /** Returns a function that removes the listener. */
  add(id: ExecutionId, listener: EndListener): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(id, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id);
    };
  }

  /** Returns whether anybody listened. */
  notify(id: ExecutionId, state: State | undefined): boolean {
    const listeners = this.#listeners.get(id);
    this.#listeners.delete(id);
    for (const listener of listeners ?? []) listener(state);
    return listeners !== undefined;
  }

  /** This process no longer follows any execution. */
  notifyAll(): void {
    for (const id of this.#listeners.keys()) this.notify(id, undefined);
  }
}

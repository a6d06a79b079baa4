// Idempotency keys of an engine without a store. A key holds within the process (IDEM-1), while its execution is in
// memory or its terminal state is cached.

import { executionStatus, type ExecutionId, type State } from "@segno/kernel";
import type { KeyHolder, KeyHolders } from "./keys.ts";
import type { IdempotencyEntry } from "../store/store.ts";

interface ProcessKeyHolder {
  readonly id: ExecutionId;
  readonly entry: IdempotencyEntry;
  /** Undefined if the execution is no longer known. */
  readonly look: () => State | undefined;
}

const SWEPT_AT_LEAST = 1000;

export class ProcessKeys implements KeyHolders {
  readonly #holders = new Map<string, ProcessKeyHolder>();
  #sweepAt = SWEPT_AT_LEAST;

  hold(entry: IdempotencyEntry, id: ExecutionId, look: () => State | undefined): void {
    this.#holders.set(entry.key, { id, entry, look });
    if (this.#holders.size >= this.#sweepAt) this.#sweep();
  }

  async newest(key: string): Promise<KeyHolder | undefined> {
    const holder = this.#holders.get(key);
    const state = holder?.look();
    if (holder === undefined || state === undefined) return undefined;
    const { id, entry } = holder;
    return { id, payload: entry.payload, status: executionStatus(state), updatedAt: state.at };
  }

  /** Removes keys of unknown executions. The next sweep runs when the number of keys has doubled. */
  #sweep(): void {
    for (const [key, { look }] of this.#holders) if (look() === undefined) this.#holders.delete(key);
    this.#sweepAt = Math.max(SWEPT_AT_LEAST, this.#holders.size * 2);
  }
}

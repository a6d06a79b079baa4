// Idempotency keys of an engine without a store: they hold within the process (IDEM-1), as long as the execution is in memory
// or its end is remembered.

import { executionStatus, type ExecutionId, type State } from "@segno/kernel";
import type { KeyHolder, KeyHolders } from "./keys.ts";
import type { IdempotencyEntry } from "../store/store.ts";

interface ProcessKeyHolder {
  readonly id: ExecutionId;
  readonly entry: IdempotencyEntry;
  /** Nothing when it is forgotten. */
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

  /** Those that stand for nothing any more make room; the next time is when there are twice as many. */
  #sweep(): void {
    for (const [key, { look }] of this.#holders) if (look() === undefined) this.#holders.delete(key);
    this.#sweepAt = Math.max(SWEPT_AT_LEAST, this.#holders.size * 2);
  }
}

// Looking after a store: what an operator does, and the engine's own housekeeping (JOURNAL-6, JOURNAL-7).

import type { EpochMs, ExecutionId } from "@segno/kernel";

export interface StoreAdmin {
  /** Sets an execution aside: it is listed with its reason and never loaded by the engine again. */
  quarantine(id: ExecutionId, reason: string): Promise<void>;
  /** Removes ended executions last changed before then, the oldest first; gives back how many. */
  removeEnded(before: EpochMs, limit: number): Promise<number>;
  /** Removes one execution whole; false when there is none. */
  remove(id: ExecutionId): Promise<boolean>;
  /**
   * Removes an execution's values and puts what `redact` makes of each block's body in its place. Hashes stay: where
   * `redact` writes a value's hash for the value, the chain still verifies (DATA-11). Called again, it changes nothing.
   */
  removePayloads(id: ExecutionId, redact: (body: string) => string): Promise<boolean>;
  /**
   * Forgets keys of failed and cancelled executions, and those older than their time (IDEM-1, IDEM-3), of no more executions
   * than `limit`; gives back of how many.
   */
  sweepKeys(before: EpochMs, limit?: number): Promise<number>;
}

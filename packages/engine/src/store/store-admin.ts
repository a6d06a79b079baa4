// Store administration: operations of an operator, and the engine's own housekeeping (JOURNAL-6, JOURNAL-7).

import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { Block, Summary } from "./store.ts";

/** The complete data of one execution in a store, consistent or not. */
export interface Examination extends Summary {
  /**
   * Oldest first. These are the blocks that lead from the head back to the first event. If no blocks do, these are all
   * blocks of the execution.
   */
  readonly blocks: readonly Block[];
  /** The reason why the blocks are not the journal that the projection describes; absent if they are. */
  readonly damage?: string;
}

/** The maintenance that a store offers: quarantine, removal and examination of executions. */
export interface StoreAdmin {
  /** Quarantines an execution: lists show it with its reason, and the engine does not load it. */
  quarantine(id: ExecutionId, reason: string): Promise<void>;
  /** Lifts a quarantine, so that the engine loads the execution again. False if the execution is not quarantined. */
  release(id: ExecutionId): Promise<boolean>;
  /** Returns everything that the store has of one execution, quarantined or not; undefined if it does not exist. */
  examine(id: ExecutionId): Promise<Examination | undefined>;
  /** Removes ended executions that were last changed before the given time, oldest first. Returns their number. */
  removeEnded(before: EpochMs, limit: number): Promise<number>;
  /** Removes one execution with all its data; false if it does not exist. */
  remove(id: ExecutionId): Promise<boolean>;
  /**
   * Removes the values of an execution and replaces the body of each block by the result of `redact`. Hashes stay: if
   * `redact` replaces a value by its hash, the chain still verifies (DATA-11). The time is stored with the execution,
   * to distinguish removed values from lost ones. A repeated call has no effect.
   */
  removePayloads(id: ExecutionId, redact: (body: string) => string, at: EpochMs): Promise<boolean>;
  /**
   * Removes the keys of failed and cancelled executions, and expired keys (IDEM-1, IDEM-3), of at most `limit`
   * executions. Returns the number of those executions.
   */
  sweepKeys(before: EpochMs, limit?: number): Promise<number>;
}

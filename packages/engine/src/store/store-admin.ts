// Looking after a store: what an operator does, and the engine's own housekeeping (JOURNAL-6, JOURNAL-7).

import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { Block, Summary } from "./store.ts";

/** What a store has of one execution, whether it fits together or not. */
export interface Examination extends Summary {
  /**
   * Oldest first: those that lead from the head back to the first event, or, where none do so, all that there are of the
   * execution.
   */
  readonly blocks: readonly Block[];
  /** Why the blocks are not the journal that the projection is about, if they are not. */
  readonly damage?: string;
}

export interface StoreAdmin {
  /** Sets an execution aside: it is listed with its reason and never loaded by the engine again. */
  quarantine(id: ExecutionId, reason: string): Promise<void>;
  /** Lifts a quarantine: the engine loads the execution again. False when it is not quarantined. */
  release(id: ExecutionId): Promise<boolean>;
  /** Everything that is there of one execution, quarantined or not; nothing when there is none. */
  examine(id: ExecutionId): Promise<Examination | undefined>;
  /** Removes ended executions last changed before then, the oldest first; gives back how many. */
  removeEnded(before: EpochMs, limit: number): Promise<number>;
  /** Removes one execution whole; false when there is none. */
  remove(id: ExecutionId): Promise<boolean>;
  /**
   * Removes an execution's values and puts what `redact` makes of each block's body in its place. Hashes stay: where
   * `redact` writes a value's hash for the value, the chain still verifies (DATA-11). The time is kept with the execution,
   * so that removed values can be told from lost ones. Called again, it changes nothing.
   */
  removePayloads(id: ExecutionId, redact: (body: string) => string, at: EpochMs): Promise<boolean>;
  /**
   * Forgets keys of failed and cancelled executions, and those older than their time (IDEM-1, IDEM-3), of no more executions
   * than `limit`; gives back of how many.
   */
  sweepKeys(before: EpochMs, limit?: number): Promise<number>;
}

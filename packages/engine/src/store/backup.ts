import type { ExecutionId } from "@segno/kernel";
import type { StoredDocument } from "./document-store.ts";
import type { StoreAdmin } from "./store-admin.ts";
import type { IdempotencyEntry, Projection, Store } from "./store.ts";

/** A store in a file that can be copied to another file (JOURNAL-7). Database servers have their own backup tools. */
export interface Backup {
  /** Writes a consistent copy to a new file. */
  backup(file: string): Promise<void>;
  /** Checks the file format, independent of its content. Returns the problems; an empty list means no damage. */
  integrity(): Promise<readonly string[]>;
  /** Drops all caches, so that the next read comes from the file. */
  reopen(): Promise<void>;
  /** A snapshot of the store. It stays unchanged until it is closed, whatever is written meanwhile. */
  freeze(): Promise<FrozenStore>;
  /**
   * Replaces the projections of executions by the ones rebuilt from their journals, in one transaction. Also restores ids
   * of rows that a check cannot find; without rewrites it does only that. Returns the number of these rows.
   */
  rewrite(rewrites: readonly Rewrite[]): Promise<number>;
  /** Frees the disk space of removed executions. */
  vacuum(): Promise<void>;
}

/** A copy of a store that does not change, on which a whole check runs. */
export interface FrozenStore extends Store, Pick<StoreAdmin, "examine">, Pick<Backup, "integrity"> {
  /** Finds rows that belong to no execution. `rows` is the total number of journal rows of all executions. */
  orphans(rows: number): Promise<readonly OrphanedRows[]>;
  /** The problem with the mark that says how much of the journal the projections include; undefined if it is sound. */
  markProblem(): Promise<string | undefined>;
  /** The documents whose bodies are not JSON text. */
  damagedDocuments(): Promise<readonly Pick<StoredDocument, "kind" | "key">[]>;
}

/** Rows of a store that belong to no execution. */
export interface OrphanedRows {
  readonly table: string;
  readonly count: number;
  /** The problem, phrased as the rest of a sentence. */
  readonly problem: string;
}

/** The row that the store should have for the execution that it now stores under the id `found`. */
export interface Rewrite {
  readonly storedId: ExecutionId;
  readonly id: ExecutionId;
  readonly projection: Projection;
  readonly idempotency: IdempotencyEntry | undefined;
  readonly arePayloadsRemoved: boolean;
  /** Present if the stored epoch is not one. */
  readonly epoch?: number;
}

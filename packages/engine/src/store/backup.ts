import type { ExecutionId } from "@segno/kernel";
import type { StoreAdmin } from "./store-admin.ts";
import type { IdempotencyEntry, Projection, Store } from "./store.ts";

/** A store that lives in a file and can be copied to another one (JOURNAL-7). A store with a server has tools for that. */
export interface Backup {
  /** Writes a consistent copy to a file that must not exist. */
  backup(file: string): Promise<void>;
  /** What is wrong with the file itself, apart from what stands in it; nothing when all is well. */
  integrity(): Promise<readonly string[]>;
  /** Lets go of everything that was cached, so that what is read next comes from the file. */
  reopen(): Promise<void>;
  /** The store as it is now, for as long as that is open, whatever is written meanwhile. */
  freeze(): Promise<FrozenStore>;
  /** Replaces what the store says about executions by what their journals say, all or nothing. */
  rewrite(rewrites: readonly Rewrite[]): Promise<void>;
  /** Gives the room back that removed executions left. */
  vacuum(): Promise<void>;
}

export interface FrozenStore extends Store, Pick<StoreAdmin, "examine">, Pick<Backup, "integrity"> {
  /** Rows that belong to no execution. `rows` is how many rows of the journal the executions have altogether. */
  orphans(rows: number): Promise<readonly OrphanedRows[]>;
}

export interface OrphanedRows {
  readonly table: string;
  readonly count: number;
  /** What is wrong with them, as the rest of a sentence. */
  readonly what: string;
}

/** What the store should say about an execution that it has under the id `found`. */
export interface Rewrite {
  readonly found: ExecutionId;
  readonly id: ExecutionId;
  readonly projection: Projection;
  readonly idempotency: IdempotencyEntry | undefined;
  readonly arePayloadsRemoved: boolean;
}

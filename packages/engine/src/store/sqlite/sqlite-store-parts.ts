// Options and parts of a SQLite store.

import type { FrozenStore } from "../backup.ts";
import type { Codec } from "../codec.ts";
import type { SqliteConnection, ConnectionOptions } from "./connection.ts";
import type { StoreFiles } from "./store-files.ts";
import type { WriterOptions } from "./writer-choice.ts";
import type { WriterThread } from "./writer-thread.ts";

export interface SqliteStoreOptions extends WriterOptions {
  /**
   * Whether this process may remove SQLite's log if it seems to be the last one when it closes the store. Only an owner
   * may: the locks of other processes show whether they still use the log, and those processes may have lost their
   * locks (Q4).
   */
  readonly removesLog?: () => boolean;
}

/** Takes a snapshot of the file over a connection of its own. */
export type Freeze = (connection: SqliteConnection, codec: Codec, file: string | undefined) => FrozenStore;

export type Reopen = (change?: ConnectionOptions) => SqliteConnection;

export interface SqliteStoreParts {
  readonly codec?: Codec;
  readonly thread?: WriterThread | undefined;
  /** Opens the file again: after a failed read (R1), and for snapshots. */
  readonly open?: Reopen;
  readonly monotonicMs?: () => number;
  /** The path of the file. Without it the store does not check its locks. */
  readonly file?: string;
  /** Opens the check that detects moved or deleted files. Without it there is no such check. */
  readonly openFiles?: () => StoreFiles;
  /** Whether SQLite may remove the log when the store is closed. The default is yes. */
  readonly removesLog?: (() => boolean) | undefined;
}

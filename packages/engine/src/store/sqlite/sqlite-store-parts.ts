// What a SQLite store is opened and made with.

import type { Codec } from "../codec.ts";
import type { SqliteConnection, ConnectionOptions } from "./connection.ts";
import type { StoreFiles } from "./store-files.ts";
import type { WriterOptions } from "./writer-choice.ts";
import type { WriterThread } from "./writer-thread.ts";

export interface SqliteStoreOptions extends WriterOptions {
  /**
   * Whether this process may take itself for the last one when it closes the store, and remove SQLite's log. Only an owner
   * may: the locks of others tell whether they still use the log, and they may have lost them (Q4).
   */
  readonly removesLog?: () => boolean;
}

export type OpenAgain = (change?: ConnectionOptions) => SqliteConnection;

export interface SqliteStoreParts {
  readonly codec?: Codec;
  readonly thread?: WriterThread | undefined;
  /** Opens the file once more: where SQLite fails at reading it (R1), and to hold one state of it still. */
  readonly open?: OpenAgain;
  readonly monotonicMs?: () => number;
  /** The name of the file; without it its locks are not looked after. */
  readonly file?: string;
  /** What is looked at to see whether the files are still there; without it nothing is. */
  readonly openFiles?: () => StoreFiles;
  /** Whether SQLite may remove the log when the store is closed; without it it may. */
  readonly removesLog?: (() => boolean) | undefined;
}

// Opens the SQLite store: creates the file if needed, records the log, and migrates the tables before use.

import { PLAIN } from "../codec.ts";
import { checkCodec, faultingCodec } from "./codec-check.ts";
import { openConnection } from "./connection.ts";
import { frozenStore } from "./frozen-sqlite-store.ts";
import { openToWriteFirst } from "./lock-group.ts";
import { recordLog } from "./log-record.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { ensureStore } from "./new-store.ts";
import type { Reopen, SqliteStoreOptions } from "./sqlite-store-parts.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { StoreFiles } from "./store-files.ts";
import { recordCreation } from "./store-identity.ts";
import { WRITER_PARTS, writerThreadFor, type WriterParts } from "./writer-choice.ts";

/** Opens the store in `file`. If the file does not exist, creates it with its parent folders. */
export async function openSqliteStore(
  file: string,
  options: SqliteStoreOptions = {},
  parts: WriterParts = WRITER_PARTS,
): Promise<SqliteStore> {
  const codec = options.codec === undefined ? PLAIN : faultingCodec(options.codec);
  const { removesLog, ...writing } = options;
  if (options.readOnly !== true) ensureStore(file, codec, writing);
  const guarded = { ...writing, isGuarded: removesLog !== undefined };
  const connection =
    options.readOnly === true
      ? openConnection(file, guarded)
      : openToWriteFirst(file, () => openConnection(file, guarded));
  try {
    if (options.readOnly !== true) recordLog(file);
    migrate(connection, MIGRATIONS, () => recordCreation(connection));
    checkCodec(connection, codec);
    const open: Reopen = (change) => openConnection(file, { ...guarded, ...change });
    const thread = writerThreadFor(file, { ...writing, codec }, parts);
    const openFiles = (): StoreFiles =>
      options.readOnly === true ? new StoreFiles(file, "read") : new StoreFiles(file).checkOpened();
    return new SqliteStore(connection, { codec, thread, file, open, openFiles, removesLog }, frozenStore);
  } catch (error) {
    connection.close({ keepsLog: true });
    throw error;
  }
}

// The SQLite module of Node.js, loaded dynamically. On a Node.js without SQLite a static import of `node:sqlite` would
// fail before `@segno/contract/node-version` can report the cause.

import type * as Sqlite from "node:sqlite";
import { UnsupportedNodeError } from "@segno/contract/node-version";

// oxlint-disable-next-line typescript/no-redeclare
export type DatabaseSync = Sqlite.DatabaseSync;
export const DatabaseSync: typeof Sqlite.DatabaseSync = sqlite().DatabaseSync;

/**
 * A database file is untrusted: no SQL in its schema may call harmful functions, and no SQL may damage the file. Not
 * every Node.js 24 is defensive by default.
 */
export function openDatabase(file: string | URL, options: Sqlite.DatabaseSyncOptions = {}): DatabaseSync {
  const database = new DatabaseSync(file, { ...options, defensive: true });
  database.exec("PRAGMA trusted_schema = OFF");
  return database;
}

function sqlite(): typeof Sqlite {
  // The type declarations claim that the module always exists.
  const module = process.getBuiltinModule("node:sqlite") as typeof Sqlite | undefined;
  if (module !== undefined) return module;
  throw new UnsupportedNodeError(
    "node:sqlite is missing: use a Node.js that was built with SQLite, and remove --no-experimental-sqlite from NODE_OPTIONS",
  );
}

// SQLite, as Node.js brings it. It is taken when this module is evaluated: a static import of `node:sqlite` fails on a Node.js
// without it before `@segno/contract/node-version` can say what is wrong.

import type * as Sqlite from "node:sqlite";
import { UnsupportedNodeError } from "@segno/contract/node-version";

// oxlint-disable-next-line typescript/no-redeclare
export type DatabaseSync = Sqlite.DatabaseSync;
export const DatabaseSync: typeof Sqlite.DatabaseSync = sqlite().DatabaseSync;

/**
 * A file may come from a stranger: no SQL in its schema calls functions that could do harm, and no SQL can damage the file.
 * Not every Node.js 24 is defensive by itself.
 */
export function openDatabase(file: string | URL, options: Sqlite.DatabaseSyncOptions = {}): DatabaseSync {
  const database = new DatabaseSync(file, { ...options, defensive: true });
  database.exec("PRAGMA trusted_schema = OFF");
  return database;
}

function sqlite(): typeof Sqlite {
  // The types say that it is always there.
  const found = process.getBuiltinModule("node:sqlite") as typeof Sqlite | undefined;
  if (found !== undefined) return found;
  throw new UnsupportedNodeError(
    "node:sqlite is missing: use a Node.js that was built with SQLite, and take --no-experimental-sqlite out of NODE_OPTIONS",
  );
}

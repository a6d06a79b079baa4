// Opening a store for reading, also where nothing can be written: on a read-only file system, or in somebody else's folder.
//
// SQLite needs two files beside a WAL-mode database, and makes them. Where it cannot, a database that was closed cleanly can
// be read as it is (`immutable`). One whose log was left behind cannot: its last commits are in the log.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { StoreFault } from "../../store/store-fault.ts";
import { awaitOwnersLocks } from "./lost-locks.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

/** `check` has to read something: SQLite opens nothing before. */
export function openReadOnly(
  file: string,
  timeoutMs: number,
  check: (database: DatabaseSync, file: string) => void,
): DatabaseSync {
  try {
    awaitOwnersLocks(file);
    return checked(file, openDatabase(file, { readOnly: true, timeout: timeoutMs }), check);
  } catch (error) {
    if (!isUnopenable(error) || mayWrite(dirname(file))) throw error;
    if (hasLog(file)) throw logLeftBehind(file, error);
    return checked(file, openDatabase(frozen(file), { readOnly: true }), check);
  }
}

function checked(
  file: string,
  database: DatabaseSync,
  check: (database: DatabaseSync, file: string) => void,
): DatabaseSync {
  try {
    check(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function frozen(file: string): URL {
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  return url;
}

const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;

function isUnopenable(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  const result = error.errcode & 0xff;
  return result === SQLITE_CANTOPEN || result === SQLITE_READONLY;
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function logLeftBehind(file: string, cause: unknown): StoreFault {
  const message =
    `${file} was not closed, its last commits are in ${file}-wal, and its folder cannot be written; ` +
    "copy both files to a folder that can be written, and open the copy";
  return new StoreFault("STORE_READ_ONLY", message, { cause });
}

// Opens a store for reading, even if nothing can be written: on a read-only file system, or in another user's folder.
//
// SQLite needs two files beside a WAL-mode database, and creates them. If it cannot, a database that was closed cleanly
// can be read as it is (`immutable`). A database with a leftover log cannot, because its last commits are in the log.
//
// While another process owns the store, its shared memory is opened read-only (`readonly_shm`). SQLite then never
// truncates it, even if it finds no lock on it (`lost-locks.ts`), and builds a private index of the log.

import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreFault } from "../store-fault.ts";
import { awaitOwnersLocks, isOwnedByAnother } from "./lost-locks.ts";
import { frozenUrl, sharedUrl } from "./database-url.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

/** The check must read something, because SQLite opens the file only at the first read. */
type DatabaseCheck = (database: DatabaseSync, file: string) => void;

export function openReadOnly(file: string, timeoutMs: number, check: DatabaseCheck): DatabaseSync {
  try {
    awaitOwnersLocks(file, "read");
    return openShared(file, timeoutMs, check) ?? checkOrClose(file, openPlain(file, timeoutMs), check);
  } catch (error) {
    if (!isUnopenable(error) || mayWrite(dirname(file))) throw error;
    if (hasLog(file)) throw logLeftBehind(file, error);
    return checkOrClose(file, openDatabase(frozenUrl(file), { readOnly: true }), check);
  }
}

/** Undefined if no other process owns the store, or if its shared memory is missing or must be repaired first. */
function openShared(file: string, timeoutMs: number, check: DatabaseCheck): DatabaseSync | undefined {
  if (!isOwnedByAnother(file)) return undefined;
  try {
    return checkOrClose(file, openDatabase(sharedUrl(file), { readOnly: true, timeout: timeoutMs }), check);
  } catch (error) {
    if (isUnopenable(error)) return undefined;
    throw error;
  }
}

function openPlain(file: string, timeoutMs: number): DatabaseSync {
  return openDatabase(file, { readOnly: true, timeout: timeoutMs });
}

function checkOrClose(file: string, database: DatabaseSync, check: DatabaseCheck): DatabaseSync {
  try {
    check(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
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
    `${file} was not closed, its last commits are in ${file}-wal, and its folder is not writable; ` +
    "copy both files to a writable folder, and open the copy";
  return new StoreFault("STORE_READ_ONLY", message, { cause });
}

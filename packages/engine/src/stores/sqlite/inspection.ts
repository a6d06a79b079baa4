// What can be told about a store from outside, for who looks after a machine. Nothing is written, and nothing is made.

import { existsSync, statSync } from "node:fs";
import { openConnection } from "./connection.ts";
import { hasTables, migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { identityOf } from "./file-identity.ts";
import { isOwnedElsewhere } from "./owner-name.ts";
import { ownerFile } from "./ownership.ts";
import { fileLocks } from "./posix-locks.ts";
import { faultOf, isBusy } from "./sqlite-fault.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";
import { isForeign } from "./store-identity.ts";

export interface StoreOwner {
  readonly isOwned: boolean;
  /** Where the system tells it. */
  readonly pid?: number;
}

/** So many problems say enough. */
const DAMAGE_MAX = 5;

/** The version of a store's tables; a fault where this Segno cannot use them. */
export function inspectSchema(file: string): number {
  const connection = openConnection(file, { readOnly: true });
  try {
    migrate(connection, MIGRATIONS);
    return MIGRATIONS.length;
  } finally {
    connection.close();
  }
}

/** Whether this user made the store, on this machine (Y2). */
export function inspectOrigin(file: string): "own" | "foreign" {
  const connection = openConnection(file, { readOnly: true });
  try {
    return hasTables(connection) && isForeign(connection) ? "foreign" : "own";
  } finally {
    connection.close();
  }
}

/** What is wrong with the file, found without comparing indexes with their tables. */
export function inspectPages(file: string): readonly string[] {
  const connection = openConnection(file, { readOnly: true });
  try {
    const rows = connection.prepare(`PRAGMA quick_check(${DAMAGE_MAX})`).all();
    return rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== "ok");
  } finally {
    connection.close();
  }
}

/**
 * Whether a process owns the store. Looking takes a shared lock for a moment: whoever wants to own the store just then is
 * told that somebody has it, and tries again.
 */
export function inspectOwner(file: string): StoreOwner {
  const lock = ownerFile(file);
  const database = identityOf(file);
  if (existsSync(lock) && isLocked(lock)) return ownedBy(holderOf(statSync(lock, { bigint: true }).ino));
  return { isOwned: database !== undefined && isOwnedElsewhere(database) };
}

function ownedBy(pid: number | undefined): StoreOwner {
  return pid === undefined ? { isOwned: true } : { isOwned: true, pid };
}

function isLocked(lock: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(lock, { readOnly: true, timeout: 0 });
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    const fault = faultOf(error);
    if (isBusy(fault)) return true;
    throw fault;
  } finally {
    database?.close();
  }
}

/** Linux lists who locks which file; elsewhere, and across containers, nothing is known. */
function holderOf(inode: bigint): number | undefined {
  const pid = fileLocks()?.find((lock) => lock.inode === inode)?.pid ?? 0;
  return pid > 0 ? pid : undefined;
}

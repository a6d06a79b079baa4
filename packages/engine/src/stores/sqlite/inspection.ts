// What can be told about a store from outside, for who looks after a machine. Nothing is written, and nothing is made.

import { existsSync, readFileSync, statSync } from "node:fs";
import { openConnection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { ownerFile } from "./ownership.ts";
import { faultOf, isBusy } from "./sqlite-fault.ts";
import { DatabaseSync } from "./sqlite-module.ts";

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
  if (!existsSync(lock) || !isLocked(lock)) return { isOwned: false };
  const pid = holderOf(statSync(lock, { bigint: true }).ino);
  return pid === undefined ? { isOwned: true } : { isOwned: true, pid };
}

function isLocked(lock: string): boolean {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(lock, { readOnly: true, timeout: 0 });
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
  try {
    const lines = readFileSync("/proc/locks", "utf8").split("\n");
    const held = lines.map((line) => line.trim().split(/\s+/u)).find((fields) => fields[5]?.endsWith(`:${inode}`));
    const pid = Number(held?.[4]);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

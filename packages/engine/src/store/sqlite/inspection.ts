// Inspects a store from outside, for an operator. It writes nothing and creates nothing.

import { statSync } from "node:fs";
import { openConnection } from "./connection.ts";
import { hasTables, migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { fileIdentity } from "./file-identity.ts";
import { isLogForeign } from "./log-record.ts";
import { isHeldElsewhere } from "./lost-locks.ts";
import { isOwnedElsewhere, ownerFile } from "./owner-name.ts";
import { checkPages } from "./page-check.ts";
import { fileLocks } from "./posix-locks.ts";
import { isForeign } from "./store-identity.ts";

export interface StoreOwner {
  readonly isOwned: boolean;
  /** Present if the system reports it. */
  readonly pid?: number;
}

/** The check stops after this number of problems. */
const DAMAGE_MAX = 5;

/** The version of the store's tables. Throws if this Segno cannot use them. */
export function inspectSchema(file: string): number {
  const connection = openConnection(file, { readOnly: true });
  try {
    migrate(connection, MIGRATIONS);
    return MIGRATIONS.length;
  } finally {
    connection.close();
  }
}

/** Whether this user created the store and its log on this machine (Y2, G2). */
export function inspectOrigin(file: string): "own" | "foreign" {
  if (isLogForeign(file)) return "foreign";
  const connection = openConnection(file, { readOnly: true });
  try {
    return hasTables(connection) && isForeign(connection) ? "foreign" : "own";
  } finally {
    connection.close();
  }
}

/** Problems of the file, without comparing indexes with their tables. */
export function inspectPages(file: string): readonly string[] {
  const connection = openConnection(file, { readOnly: true });
  try {
    return connection.run(() => checkPages(connection.database, `quick_check(${DAMAGE_MAX})`));
  } finally {
    connection.close();
  }
}

/**
 * Whether a process owns the store. The check takes a shared lock for a moment. A process that tries to own the store
 * at that moment fails and tries again.
 */
export function inspectOwner(file: string): StoreOwner {
  const lock = ownerFile(file);
  const database = fileIdentity(file);
  if (isHeldElsewhere(lock)) return ownedBy(findLockHolder(statSync(lock, { bigint: true }).ino));
  return { isOwned: database !== undefined && isOwnedElsewhere(database) };
}

function ownedBy(pid: number | undefined): StoreOwner {
  return pid === undefined ? { isOwned: true } : { isOwned: true, pid };
}

/** Linux lists which process locks which file. On other systems, and across containers, the holder is unknown. */
function findLockHolder(inode: bigint): number | undefined {
  const pid = fileLocks()?.find((lock) => lock.inode === inode)?.pid ?? 0;
  return pid > 0 ? pid : undefined;
}

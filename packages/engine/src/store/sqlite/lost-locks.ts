// Waits for an owner that has lost its locks and has not noticed yet.
//
// A process that opens a WAL-mode database to write, and finds no lock on its shared memory, assumes that it is the
// first and truncates that memory. SIGBUS then kills an owner that uses it. An owner checks its locks at every poll and
// takes them again (`store-files.ts`); until then no other process may open the file that way. The owner's socket shows
// that an owner exists. Locks of other processes do not count, because they disappear when those processes close the
// file.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileIdentity } from "./file-identity.ts";
import { isOwnedElsewhere, ownerFile, refuseOther } from "./owner-name.ts";
import { areLocksVisible, fileLocks } from "./posix-locks.ts";
import { toStoreFault, isBusy } from "./sqlite-fault.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

/** Several polls of the owner. */
export const TRIES = 25;
/** Five seconds: a busy machine may delay the owner's polls for part of that. */
export const WRITER_TRIES = 250;
const PAUSE_MS = 20;

/** False if the owner still lacks its locks. A reader does not harm the owner, so it waits only briefly. */
export function awaitOwnersLocks(file: string, use: "read" | "write"): boolean {
  return retry(() => !isLeftUnlocked(file), use === "write" ? WRITER_TRIES : TRIES);
}

/** Tries several times, with pauses. Returns whether it succeeded. */
export function retry(isDone: () => boolean, triesMax: number = TRIES): boolean {
  for (let tries = 1; !isDone(); tries++) {
    if (tries === triesMax) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  return true;
}

/**
 * True if there is an owner and its lock on the owner file or on the shared memory is gone, or the shared memory itself
 * is gone.
 */
export function isLeftUnlocked(file: string): boolean {
  if (!isOwnedByAnother(file)) return false;
  const memory = fileIdentity(`${file}-shm`);
  // A process that opens the file now creates a second shared memory: two indexes of one log, whose writers do not see
  // each other.
  if (memory === undefined) return true;
  const locks = fileLocks();
  if (locks === undefined || !areLocksVisible(dirname(file))) return false;
  const owner = fileIdentity(ownerFile(file));
  const holders = locks.filter(({ inode }) => inode === owner?.inode).map(({ pid }) => pid);
  // Linux reports pid 0 for a process of another container, and some systems do not list it, so its locks are unknown.
  if (holders.every((pid) => pid === 0) && isHeldElsewhere(ownerFile(file))) return false;
  return !locks.some(({ inode, pid }) => inode === memory.inode && holders.includes(pid));
}

/** Asks SQLite whether a process has an exclusive lock on the file. Must not be called if this process holds one. */
export function isHeldElsewhere(file: string): boolean {
  if (!existsSync(file)) return false;
  refuseOther(file);
  let database: DatabaseSync | undefined;
  try {
    database = openDatabase(file, { readOnly: true, timeout: 0 });
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    const fault = toStoreFault(error);
    if (isBusy(fault)) return true;
    throw fault;
  } finally {
    database?.close();
  }
}

/** Whether another process owns the store, according to its socket. */
export function isOwnedByAnother(file: string): boolean {
  const database = fileIdentity(file);
  return database !== undefined && isOwnedElsewhere(database);
}

// Waits for an owner that has lost its locks and does not know it yet.
//
// Whoever opens a WAL-mode database to write, and finds no lock on its shared memory, takes itself for the first and empties
// that memory. An owner that uses it at that moment is killed by SIGBUS. An owner looks at its locks at every poll and takes
// them again (`store-files.ts`); until then nobody else may open the file so. The owner's socket tells that there is one.
// Locks of others do not count: they are gone when those close the file.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileIdentity } from "./file-identity.ts";
import { isOwnedElsewhere, ownerFile, refuseOther } from "./owner-name.ts";
import { areLocksVisible, fileLocks } from "./posix-locks.ts";
import { toStoreFault, isBusy } from "./sqlite-fault.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

/** Several polls of the owner. */
const TRIES = 25;
/** Five seconds: a busy machine may keep the owner from polling for some of them. */
const WRITER_TRIES = 250;
const PAUSE_MS = 20;

/** False when the owner still has no locks. Who only reads does it no harm, and waits for a moment only. */
export function awaitOwnersLocks(file: string, use: "read" | "write"): boolean {
  return retry(() => !isLeftUnlocked(file), use === "write" ? WRITER_TRIES : TRIES);
}

/** Tries some times, with pauses, until it is done; gives back whether it is. */
export function retry(isDone: () => boolean, triesMax: number = TRIES): boolean {
  for (let tries = 1; !isDone(); tries++) {
    if (tries === triesMax) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  return true;
}

/** There is an owner, and its lock on the owner file or on the shared memory is gone, or the shared memory itself. */
export function isLeftUnlocked(file: string): boolean {
  if (!isOwnedByAnother(file)) return false;
  const memory = fileIdentity(`${file}-shm`);
  // Whoever opens the file now makes another one: two indexes of one log, whose writers do not see each other.
  if (memory === undefined) return true;
  const locks = fileLocks();
  if (locks === undefined || !areLocksVisible(dirname(file))) return false;
  const owner = fileIdentity(ownerFile(file));
  const holders = locks.filter(({ inode }) => inode === owner?.inode).map(({ pid }) => pid);
  // Linux gives the pid 0 to a process of another container, and some do not list it: its locks are not known.
  if (holders.every((pid) => pid === 0) && isHeldElsewhere(ownerFile(file))) return false;
  return !locks.some(({ inode, pid }) => inode === memory.inode && holders.includes(pid));
}

/** Asks SQLite whether a process has an exclusive lock on the file. Never called where this process has one. */
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

/** Whether a process that is not this one owns the store, as its socket tells. */
export function isOwnedByAnother(file: string): boolean {
  const database = fileIdentity(file);
  return database !== undefined && isOwnedElsewhere(database);
}

// Waits for an owner that has lost its locks and does not know it yet.
//
// Whoever opens a WAL-mode database to write, and finds no lock on its shared memory, takes itself for the first and empties
// that memory. An owner that uses it at that moment is killed by SIGBUS. An owner looks at its locks at every poll and takes
// them again (`store-files.ts`); until then nobody else may open the file so. The owner's socket tells that there is one.
// Locks of others do not count: they are gone when those close the file.

import { identityOf } from "./file-identity.ts";
import { isOwnedElsewhere, ownerFile } from "./owner-name.ts";
import { fileLocks } from "./posix-locks.ts";

/** Several polls of the owner. Across containers its locks may be there and not be seen, so this ends. */
const TRIES = 25;
const PAUSE_MS = 20;

export function awaitOwnersLocks(file: string): void {
  retry(() => !isLeftUnlocked(file));
}

/** Tries some times, with pauses, until it is done; gives back whether it is. */
export function retry(isDone: () => boolean): boolean {
  for (let tries = 1; !isDone(); tries++) {
    if (tries === TRIES) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  return true;
}

/** There is an owner, and its lock on the owner file or on the shared memory is gone. */
export function isLeftUnlocked(file: string): boolean {
  const memory = identityOf(`${file}-shm`);
  if (memory === undefined || !isOwnedByAnother(file)) return false;
  const locks = fileLocks();
  const owner = identityOf(ownerFile(file));
  const holders = locks?.filter(({ inode }) => inode === owner?.inode).map(({ pid }) => pid);
  return locks?.some(({ inode, pid }) => inode === memory.inode && holders?.includes(pid)) === false;
}

/** Whether a process that is not this one owns the store, as its socket tells. */
export function isOwnedByAnother(file: string): boolean {
  const database = identityOf(file);
  return database !== undefined && isOwnedElsewhere(database);
}

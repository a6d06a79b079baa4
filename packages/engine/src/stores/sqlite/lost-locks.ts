// Waits for an owner that has lost its locks and does not know it yet.
//
// Whoever opens a WAL-mode database and finds no lock on its shared memory takes itself for the first, and empties that
// memory. If an owner is just committing, its commit is torn. An owner looks at its locks at every poll and takes them again
// (`store-files.ts`); until then nobody else may open the file. The owner's socket tells that there is one.

import { identityOf } from "./file-identity.ts";
import { isOwnedElsewhere } from "./owner-name.ts";
import { fileLocks } from "./posix-locks.ts";

/** Several polls of the owner. Across containers its locks may be there and not be seen, so this ends. */
const TRIES = 25;
const PAUSE_MS = 20;

export function awaitOwnersLocks(file: string): void {
  for (let tries = 0; tries < TRIES && isLeftUnlocked(file); tries++)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

/** There is an owner, and its locks are gone. */
export function isLeftUnlocked(file: string): boolean {
  const memory = identityOf(`${file}-shm`);
  if (memory === undefined) return false;
  const locks = fileLocks();
  if (locks === undefined || locks.some(({ inode }) => inode === memory.inode)) return false;
  const database = identityOf(file);
  return database !== undefined && isOwnedElsewhere(database);
}

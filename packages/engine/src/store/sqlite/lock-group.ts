// The stores of this process that use one file.
//
// SQLite takes its locks on a file with the first connection of a process, and counts the others. Lost locks are
// therefore taken again only after all connections of the process were closed at the same time.
//
//   L1. Connections of other threads, and those that the program itself opened, are not in the group. While such a
//       connection is open and the locks are lost, the stores of the group stay shut and every operation fails with
//       `STORE_IO`: without locks another process may believe that it is the only one. A store of another thread also
//       notices the loss and shuts. The last store to shut takes the locks again, and the others find them held.

import { StoreFault } from "../store-fault.ts";
import { fileIdentity } from "./file-identity.ts";
import { hasConnectionHere } from "./held-locks.ts";
import { holdsLocks } from "./posix-locks.ts";

export interface LockGroupMember {
  readonly onlyReads: boolean;
  /** Ends the operations of other threads of this process on the file. */
  quiesce(): Promise<void>;
  /** Closes the connection; the store is unusable until it is opened again. */
  closeConnection(): void;
  relock(): void;
}

const groups = new Map<string, Set<LockGroupMember>>();

export function joinLockGroup(file: string, member: LockGroupMember): void {
  const group = groups.get(file) ?? new Set();
  groups.set(file, group.add(member));
}

export function leaveLockGroup(file: string, member: LockGroupMember): void {
  const group = groups.get(file);
  group?.delete(member);
  if (group?.size === 0) groups.delete(file);
}

/** Opens all stores again. If some fail, it throws the first error after the others are open. */
export async function lockAgain(file: string): Promise<void> {
  await Promise.all(groupMembers(file).map((member) => member.quiesce()));
  const members = groupMembers(file);
  for (const member of members) member.closeConnection();
  checkConnections(file);
  const failures = writersFirst(members).flatMap((member) => tryRelock(member));
  if (failures.length > 0) throw failures[0];
}

/** L1. */
function checkConnections(file: string): void {
  const database = fileIdentity(file);
  if (database === undefined || hasConnectionHere(database) !== true || holdsLocks([database.inode]) !== false) return;
  throw new StoreFault(
    "STORE_IO",
    `${file}: this process has lost its locks on the file, and another connection of it prevents locking it again; close that connection`,
  );
}

/**
 * Opens the first writing connection of this process. SQLite keeps the shared memory of a file in the mode of the first
 * connection of the process, which may be a reader that opened it read-only (`read-only-file.ts`). So readers close
 * first and reopen after. A reader that cannot be reopened reports the error itself.
 */
export function openToWriteFirst<Result>(file: string, open: () => Result): Result {
  const members = groupMembers(file);
  if (members.some(({ onlyReads }) => !onlyReads)) return open();
  for (const member of members) member.closeConnection();
  try {
    return open();
  } finally {
    for (const member of members) tryRelock(member);
  }
}

function writersFirst(members: readonly LockGroupMember[]): readonly LockGroupMember[] {
  return members.toSorted((a, b) => Number(a.onlyReads) - Number(b.onlyReads));
}

function groupMembers(file: string): readonly LockGroupMember[] {
  return [...(groups.get(file) ?? [])];
}

function tryRelock(member: LockGroupMember): readonly unknown[] {
  try {
    member.relock();
    return [];
  } catch (error) {
    return [error];
  }
}

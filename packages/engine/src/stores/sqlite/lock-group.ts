// The stores of this process that use one file.
//
// SQLite takes its locks on a file with the first connection of a process, and keeps count of the others. Locks that were lost
// are therefore taken again only when all connections of the process were closed at the same time.

export interface LockGroupMember {
  readonly onlyReads: boolean;
  /** Ends what other threads of this process do with the file. */
  quiesce(): Promise<void>;
  /** Closes the connection; nothing can be done with the store until it is opened again. */
  shut(): void;
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

/** Throws what the first one throws that cannot be opened, when all others are open. */
export async function lockAgain(file: string): Promise<void> {
  await Promise.all(membersOf(file).map((member) => member.quiesce()));
  const members = membersOf(file);
  for (const member of members) member.shut();
  const failures = writersFirst(members).flatMap((member) => failureOf(member));
  if (failures.length > 0) throw failures[0];
}

/**
 * Opens the first connection of this process that writes. SQLite keeps the shared memory of a file as the first connection of
 * the process opened it, and a reader may have opened it for reading only (`read-only-file.ts`); so readers step back.
 * One that cannot be opened again says so itself.
 */
export function openToWriteFirst<Result>(file: string, open: () => Result): Result {
  const members = membersOf(file);
  if (members.some(({ onlyReads }) => !onlyReads)) return open();
  for (const member of members) member.shut();
  try {
    return open();
  } finally {
    for (const member of members) failureOf(member);
  }
}

function writersFirst(members: readonly LockGroupMember[]): readonly LockGroupMember[] {
  return members.toSorted((a, b) => Number(a.onlyReads) - Number(b.onlyReads));
}

function membersOf(file: string): readonly LockGroupMember[] {
  return [...(groups.get(file) ?? [])];
}

function failureOf(member: LockGroupMember): readonly unknown[] {
  try {
    member.relock();
    return [];
  } catch (error) {
    return [error];
  }
}

// Whether all processes that use the index of a store's log have opened the same log.
//
// SQLite finds the pages of the log by an index in shared memory. It opens the log and the memory by their names, and
// does not compare them: the index is made from the log only if no process has locked the memory. If the log is
// replaced while processes use it, the next process that opens the store would therefore read the new log by the index
// of the old one. It would find wrong pages, and write them into the database when it writes its log back.
//
//   U1. A process that has locked the memory has opened a log before, and closes it after. So each of these processes
//       must have the log open that has its name now.
//   U2. This is checked before SQLite opens the files, and again before anything is written: if the memory was in use,
//       the log must still be the one that was checked. The last process that closes the store removes log and memory,
//       so another log with no user of the old one is a reason to open the files again.
//   U3. A process that finds its log replaced closes it (`sqlite-store.ts`), so waiting for the others ends soon. A
//       process does not wait for itself.
//   U4. Only Linux tells which files a process has open, and only to the same user. The files of other processes are
//       unknown.

import { readdirSync, statSync } from "node:fs";
import { StoreFault } from "../store-fault.ts";
import { fileIdentity, isSameFile, type FileIdentity } from "./file-identity.ts";
import { retry, TRIES, WRITER_TRIES } from "./lost-locks.ts";
import { fileLocks } from "./posix-locks.ts";

export interface LogUse {
  /** The log that has its name now. */
  readonly log: FileIdentity | undefined;
  /** Whether a process uses the index. */
  readonly isIndexUsed: boolean;
  /** The processes that use the index and have another log open. */
  readonly strangers: readonly number[];
}

/** Waits until no process uses the index with another log. */
export function requireOneLog(file: string, use: "read" | "write"): LogUse {
  let found = findLogUse(file);
  const isDecided = (): boolean => found.strangers.length === 0 || found.strangers.includes(process.pid);
  if (!isDecided()) retry(() => ((found = findLogUse(file)), isDecided()), use === "write" ? WRITER_TRIES : TRIES);
  if (found.strangers.length > 0) throw otherLogFault(file, found.strangers);
  return found;
}

/** U2. `before` is the result of `requireOneLog`. */
export function confirmOneLog(file: string, before: LogUse): void {
  const now = findLogUse(file);
  if (now.strangers.length > 0) throw otherLogFault(file, now.strangers);
  if (before.isIndexUsed && !isSameFile(before.log, now.log)) throw new LogChanged(otherLogFault(file, []).message);
}

/** The log is another one than before the files were opened, and nobody uses the former one (U2). */
export class LogChanged extends StoreFault {
  constructor(message: string) {
    super("STORE_BUSY", message);
  }
}

/** Opens the files again if the log changed meanwhile. */
export function withSameLog<Result>(open: () => Result): Result {
  for (let tries = 1; ; tries++)
    try {
      return open();
    } catch (error) {
      if (!(error instanceof LogChanged) || tries === TRIES) throw error;
    }
}

function findLogUse(file: string): LogUse {
  const [log, memory] = [fileIdentity(`${file}-wal`), fileIdentity(`${file}-shm`)];
  const users = memory === undefined ? [] : findUsers(memory);
  const strangers = users.filter(({ files }) => log === undefined || !hasOpen(files, log)).map(({ pid }) => pid);
  return { log, isIndexUsed: users.length > 0, strangers };
}

interface IndexUser {
  readonly pid: number;
  readonly files: readonly FileIdentity[];
}

/** The list of locks names inodes without their device, so a process counts only if it has the memory itself open. */
function findUsers(memory: FileIdentity): readonly IndexUser[] {
  const locks = fileLocks()?.filter(({ inode, pid }) => inode === memory.inode && pid > 0) ?? [];
  return [...new Set(locks.map(({ pid }) => pid))]
    .map((pid) => ({ pid, files: openFiles(pid) }))
    .filter(({ files }) => hasOpen(files, memory));
}

function hasOpen(files: readonly FileIdentity[], file: FileIdentity): boolean {
  return files.some((each) => isSameFile(each, file));
}

/** Empty if the process has ended, or belongs to another user. */
function openFiles(pid: number): readonly FileIdentity[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap((descriptor) => identityOf(`${folder}/${descriptor}`));
  } catch {
    return [];
  }
}

/** The descriptor may have been closed since it was listed. */
function identityOf(descriptor: string): readonly FileIdentity[] {
  try {
    const { dev, ino } = statSync(descriptor, { bigint: true });
    return [{ device: dev, inode: ino }];
  } catch {
    return [];
  }
}

function otherLogFault(file: string, strangers: readonly number[]): StoreFault {
  const users = strangers.length === 0 ? "other processes" : `process ${strangers.join(", ")}`;
  return new StoreFault(
    "STORE_BUSY",
    `${file}-wal was replaced while it was in use, and ${users} still used the log before it; try again when they have closed the store`,
  );
}

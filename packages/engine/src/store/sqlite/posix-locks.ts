// The file locks that Linux lists in `/proc/locks`.
//
// A process can lose its POSIX locks on a file silently: closing any descriptor of the file in the process drops them
// all, and copying a file closes one. On other systems, and across containers, locks are unknown.

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "./sqlite-module.ts";

export interface FileLock {
  readonly inode: bigint;
  readonly pid: number;
}

/** Undefined if the system does not report locks. */
export function fileLocks(): readonly FileLock[] | undefined {
  try {
    return locksIn(readFileSync("/proc/locks", "latin1"));
  } catch {
    return undefined;
  }
}

/**
 * A line such as `1: POSIX ADVISORY WRITE 4711 fd:01:131085 0 EOF`. A line of a waiting process contains an arrow.
 */
const LINE = /\d+: POSIX +\S+ +\S+ +(\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /gu;

/** Parses the text of `/proc/locks`. */
export function locksIn(text: string): readonly FileLock[] {
  return [...text.matchAll(LINE)].map(([, pid, inode]) => ({ pid: Number(pid), inode: BigInt(inode!) }));
}

/** Whether this process holds a lock on each of these files; undefined if the system does not report locks. */
export function holdsLocks(inodes: readonly bigint[]): boolean | undefined {
  const held = fileLocks()?.filter(({ pid }) => pid === process.pid);
  return held === undefined ? undefined : inodes.every((inode) => held.some((lock) => lock.inode === inode));
}

const visible = new Map<string, boolean>();

/**
 * Whether the system lists locks of this process on files in a folder. Some file systems report other inodes than the
 * lock list. The function tests each folder once, with a lock on a temporary file; false if it cannot create one.
 */
export function areLocksVisible(folder: string): boolean {
  let isVisible = visible.get(folder);
  if (isVisible === undefined) visible.set(folder, (isVisible = isOwnLockListed(folder)));
  return isVisible;
}

function isOwnLockListed(folder: string): boolean {
  let probe: string | undefined;
  try {
    probe = mkdtempSync(join(folder, "segno-locks-"));
    const file = join(probe, "probe.db");
    const database = openDatabase(file);
    try {
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      return holdsLocks([statSync(file, { bigint: true }).ino]) === true;
    } finally {
      database.close();
    }
  } catch {
    return false;
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true, force: true });
  }
}

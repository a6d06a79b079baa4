// Which files are locked, as Linux tells it in `/proc/locks`.
//
// A process loses its POSIX locks on a file without being told: closing any descriptor of the file in the process drops
// them all, and copying a file closes one. Elsewhere than on Linux, and across containers, nothing is known.

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "./sqlite-module.ts";

export interface FileLock {
  readonly inode: bigint;
  readonly pid: number;
}

/** Nothing where the system does not tell. */
export function fileLocks(): readonly FileLock[] | undefined {
  try {
    return locksIn(readFileSync("/proc/locks", "latin1"));
  } catch {
    return undefined;
  }
}

/** A line such as `1: POSIX  ADVISORY  WRITE 4711 fd:01:131085 0 EOF`; one that waits for a lock has an arrow in it. */
const LINE = /\d+: POSIX +\S+ +\S+ +(\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /gu;

/** The locks that are listed in a text of the system. */
export function locksIn(text: string): readonly FileLock[] {
  return [...text.matchAll(LINE)].map(([, pid, inode]) => ({ pid: Number(pid), inode: BigInt(inode!) }));
}

/** Whether this process has a lock on each of these files; nothing where the system does not tell. */
export function locksHere(inodes: readonly bigint[]): boolean | undefined {
  const held = fileLocks()?.filter(({ pid }) => pid === process.pid);
  return held === undefined ? undefined : inodes.every((inode) => held.some((lock) => lock.inode === inode));
}

const visible = new Map<string, boolean>();

/**
 * Whether the system lists locks of this process on files in a folder. Some file systems have other inodes than the system lists.
 * It is found out once for a folder, with a lock on a file of its own; false where none can be made.
 */
export function areLocksVisible(folder: string): boolean {
  let answer = visible.get(folder);
  if (answer === undefined) visible.set(folder, (answer = isOwnLockListed(folder)));
  return answer;
}

function isOwnLockListed(folder: string): boolean {
  let probe: string | undefined;
  try {
    probe = mkdtempSync(join(folder, "segno-locks-"));
    const file = join(probe, "probe.db");
    const database = openDatabase(file);
    try {
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      return locksHere([statSync(file, { bigint: true }).ino]) === true;
    } finally {
      database.close();
    }
  } catch {
    return false;
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true, force: true });
  }
}

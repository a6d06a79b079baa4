// Which files are locked, as Linux tells it in `/proc/locks`.
//
// A process loses its POSIX locks on a file without being told: closing any descriptor of the file in the process drops
// them all, and copying a file closes one. Elsewhere than on Linux, and across containers, nothing is known.

import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
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

let visible: boolean | undefined;

/** Whether the system lists the locks of this process at all: found out once, with a lock on a file of its own. */
export function areLocksVisible(): boolean {
  return (visible ??= isOwnLockListed());
}

function isOwnLockListed(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "segno-locks-"));
  try {
    const file = join(folder, "probe.db");
    const database = openDatabase(file);
    try {
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      return locksHere([statSync(file, { bigint: true }).ino]) === true;
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// The files of an open store: whether they are still the ones that were opened, and still locked.
//
// An owner that keeps writing to a removed log, or to a moved database, acknowledges writes that no process can ever
// read. SQLite does not check for this, so this class does. Unlinked shared memory is as bad: the next process that
// opens the database creates another one, and then two processes write to the same positions of the log.
//
//   J1. `checkLog` runs after every write. It also runs before a write, unless it ran a moment ago. So a write is
//       acknowledged only if the log and the shared memory still have their names. The check reads the time of the
//       folder: while that is unchanged, the names are. A check of the log itself is expensive: Linux gives a file
//       whose times were read a new time with the next write, and a sync writes that time, too.
//   J2. `check` compares the names of all files with the opened ones. It runs at every poll.
//   J3. A post is acknowledged only if `isLocked` is true before and after it. Dropped locks return only when the files
//       are reopened, so the process held them in between, and no other process could remove the log.
//   J4. A commit starts only if `mayLackLocks` is false. Another program that opens the file resets the shared memory
//       if it finds no lock on it: a commit at that moment is lost although the log keeps its name, or SIGBUS kills
//       this process. Reading the locks takes as long as a relaxed commit, so the last answer counts for a
//       millisecond.
//   J5. This class holds the log open. The log is never locked, so closing it drops no lock.

import { closeSync, fstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { StoreFault } from "../store-fault.ts";
import { fileIdentity, isSameFile, type FileIdentity } from "./file-identity.ts";
import { hasConnectionHere, HeldLocks } from "./held-locks.ts";
import { areLocksVisible } from "./posix-locks.ts";

/** A write this soon after a check needs no check before it. */
const RECHECK_MS = 5;
/**
 * Measured: a check costs 12 % of a commit with fsync if it counts for 0.25 ms, and 5 % if it counts for 1 ms. A program that
 * is not Segno would have to open the file within this time after the locks were dropped.
 */
const LOCKS_RECHECK_MS = 1;
/** Two changes of a folder within this time may have the same timestamp. */
const CLOCK_TICK_MS = 50;
/** The same for file systems that store whole seconds. */
const COARSE_TICK_MS = 2500;

export class StoreFiles {
  readonly #file: string;
  readonly #database: FileIdentity | undefined;
  readonly #log: number | undefined;
  readonly #logIdentity: FileIdentity | undefined;
  readonly #memory: FileIdentity | undefined;
  /** A writer has shared memory. A reader may have none, for example on a read-only file system. */
  readonly #hasMemory: boolean;
  /** The locks of this process, if it has any. */
  readonly #locks: HeldLocks | undefined;
  /** True if the system reports locks and there are none. */
  readonly #isUnlocked: boolean;
  /** The folder of the log; undefined if a folder cannot be opened. */
  readonly #folder: number | undefined;
  /** The time of the folder when the log was last known to have its name. */
  #folderTimeMs: number | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** When the locks were last known to be held. */
  #lockedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * For the store in `file`, over which a connection has read something. A read-only connection may have no locks,
   * because it opens the shared memory of another process for reading (`read-only-file.ts`).
   */
  constructor(file: string, use: "read" | "write" = "write") {
    this.#file = file;
    this.#database = fileIdentity(file);
    this.#logIdentity = fileIdentity(walFile(file));
    this.#memory = fileIdentity(shmFile(file));
    this.#hasMemory = use === "write" || this.#memory !== undefined;
    this.#log = this.#logIdentity === undefined ? undefined : openSync(walFile(file), "r");
    this.#folder = this.#log === undefined ? undefined : openFolder(dirname(file));
    this.#locks = HeldLocks.find([this.#database, this.#memory].filter((each) => each !== undefined));
    const isExpected = use === "write" && this.#log !== undefined;
    this.#isUnlocked = isExpected && this.#locks === undefined && areLocksVisible(dirname(file));
  }

  /**
   * Called once at the start: the log may have been replaced since SQLite opened it. The database shows whether the
   * system tells which files SQLite has open.
   */
  checkOpened(): this {
    const [database, log] = [this.#database, this.#logIdentity];
    if (database === undefined || log === undefined || hasConnectionHere(database) !== true) return this;
    if (hasConnectionHere(log) === true) return this;
    this.close();
    throw movedFault(walFile(this.#file));
  }

  /**
   * False if this process dropped its own locks (`held-locks.ts`) or never had any. SQLite does not take them again
   * while the process has any connection to the file (`lock-group.ts`).
   */
  get isLocked(): boolean {
    return this.#locks === undefined ? !this.#isUnlocked : this.#locks.areHeld();
  }

  /** Whether this process dropped its locks, unless it had them a moment ago (J4). */
  get mayLackLocks(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#lockedAtMs < LOCKS_RECHECK_MS) return false;
    if (!this.isLocked) return true;
    this.#lockedAtMs = nowMs;
    return false;
  }

  /** Called after a post that began with all locks (J3). */
  checkLocks(): void {
    if (this.isLocked) return;
    const message =
      "the store: this process dropped its locks while it was posting; the message may or may not be stored";
    throw new StoreFault("STORE_IO", message);
  }

  check(): void {
    this.checkLog();
    this.checkDatabase();
    this.#checkNames();
  }

  checkDatabase(): void {
    if (!isSameFile(this.#database, fileIdentity(this.#file))) throw movedFault(this.#file);
  }

  /** Whether the last check of the log is too old for another write. */
  get isLookDue(): boolean {
    return performance.now() - this.#lookedAtMs > RECHECK_MS;
  }

  checkLog(): void {
    if (this.#log === undefined) return;
    const folderTimeMs = this.#folder === undefined ? undefined : fstatSync(this.#folder).ctimeMs;
    if (folderTimeMs === undefined || folderTimeMs !== this.#folderTimeMs) this.#checkChanged(folderTimeMs);
    this.#lookedAtMs = performance.now();
  }

  /** Does not cache a timestamp that is too recent, because the next change of the folder may have the same one. */
  #checkChanged(folderTimeMs: number | undefined): void {
    if (fstatSync(this.#log!).nlink === 0) throw movedFault(walFile(this.#file));
    this.#checkNames();
    const isOver = folderTimeMs !== undefined && Date.now() - folderTimeMs > tickMs(folderTimeMs);
    this.#folderTimeMs = isOver ? folderTimeMs : undefined;
  }

  #checkNames(): void {
    if (this.#log === undefined) return;
    const log = walFile(this.#file);
    const memory = shmFile(this.#file);
    if (!isNamed(log, this.#logIdentity)) throw movedFault(log);
    if (this.#hasMemory && !isNamed(memory, this.#memory)) throw movedFault(memory);
  }

  close(): void {
    this.#locks?.close();
    for (const descriptor of [this.#log, this.#folder]) if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Whether this path is a name of the file that was opened. */
function isNamed(name: string, opened: FileIdentity | undefined): boolean {
  return opened !== undefined && isSameFile(opened, fileIdentity(name));
}

function tickMs(timeMs: number): number {
  return timeMs % 1000 === 0 ? COARSE_TICK_MS : CLOCK_TICK_MS;
}

/** Windows cannot open folders, and does not remove open files. */
function openFolder(folder: string): number | undefined {
  try {
    return openSync(folder, "r");
  } catch {
    return undefined;
  }
}

function walFile(file: string): string {
  return `${file}-wal`;
}

function shmFile(file: string): string {
  return `${file}-shm`;
}

function movedFault(file: string): StoreFault {
  return new StoreFault(
    "STORE_MOVED",
    `${file} is not the file that was opened: it was moved, deleted or replaced; nothing more is written`,
  );
}

// The files of an open store: whether they are still the ones that were opened, and still locked.
//
// An owner that goes on writing to a log that was removed, or to a database that was moved, acknowledges what nobody will
// ever read. SQLite does not look; this does. Shared memory that lost its name is as bad: the next process that opens the
// database makes another one, and then two processes write to the same places of the log.
//
//   J1. `checkLog` is called after every write, and before one unless it was called a moment ago: what was written is
//       acknowledged only while the log and the shared memory have their names.
//       The check looks at the folder: as long as that has not changed, they have. To look at the log itself is dear: Linux gives a file whose times were asked for a new time with the next write, and a sync writes that too.
//   J2. `check` compares the names of all files with what was opened. It is called at every poll.
//   J3. A post is acknowledged only when `isLocked` is true before and after it. Locks that were dropped come back only when
//       the files are opened again, so they were held in between, and nobody could remove the log.
//   J4. The log is held open here; it is never locked, so closing it drops no lock.

import { closeSync, fstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { StoreFault } from "../store-fault.ts";
import { fileIdentity, isSameFile, type FileIdentity } from "./file-identity.ts";
import { HeldLocks } from "./held-locks.ts";
import { areLocksVisible } from "./posix-locks.ts";

/** A write that follows a look so soon needs none before it. */
const SURE_MS = 5;
/** Two changes of a folder that follow each other sooner than this may leave the same time. */
const CLOCK_TICK_MS = 50;
/** The same on file systems that keep whole seconds. */
const COARSE_TICK_MS = 2500;

export class StoreFiles {
  readonly #file: string;
  readonly #database: FileIdentity | undefined;
  readonly #log: number | undefined;
  readonly #logIdentity: FileIdentity | undefined;
  readonly #memory: FileIdentity | undefined;
  /** Who writes has shared memory. Who only reads may have none, as on a file system that cannot be written. */
  readonly #hasMemory: boolean;
  /** The locks of this process, if it has them. */
  readonly #locks: HeldLocks | undefined;
  /** The system would tell of locks, and there are none. */
  readonly #isUnlocked: boolean;
  /** The folder of the log; nothing where a folder cannot be opened. */
  readonly #folder: number | undefined;
  /** When the folder had changed last, as of the last time that the log had its name. */
  #folderTimeMs: number | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Of the store in `file`, over which there is a connection that has read something. One that only reads may have no locks: it
   * opens the shared memory of another process for reading (`read-only-file.ts`).
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
   * False when this process has dropped its own locks (`held-locks.ts`), or had none from the beginning: SQLite does not take
   * them again as long as the process has any connection to the file (`lock-group.ts`).
   */
  get isLocked(): boolean {
    return this.#locks === undefined ? !this.#isUnlocked : this.#locks.areHeld();
  }

  /** After a post that began with all locks (J3). */
  checkLocks(): void {
    if (this.isLocked) return;
    const message = "the store: this process dropped its locks while it was posting; the message may be there or not";
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

  /** Whether the last look at the log is too long ago for another write. */
  get isLookDue(): boolean {
    return performance.now() - this.#lookedAtMs > SURE_MS;
  }

  checkLog(): void {
    if (this.#log === undefined) return;
    const folderTimeMs = this.#folder === undefined ? undefined : fstatSync(this.#folder).ctimeMs;
    if (folderTimeMs === undefined || folderTimeMs !== this.#folderTimeMs) this.#checkChanged(folderTimeMs);
    this.#lookedAtMs = performance.now();
  }

  /** A time that is not over yet is not kept: the next change of the folder may leave the same. */
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

/** Whether this is the name of a file that was there when it was opened. */
function isNamed(name: string, opened: FileIdentity | undefined): boolean {
  return opened !== undefined && isSameFile(opened, fileIdentity(name));
}

function tickMs(timeMs: number): number {
  return timeMs % 1000 === 0 ? COARSE_TICK_MS : CLOCK_TICK_MS;
}

/** Windows opens no folders, and removes no file that is open. */
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

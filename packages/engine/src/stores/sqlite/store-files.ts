// The files of an open store: whether they are still the ones that were opened, and still locked.
//
// An owner that goes on writing to a log that was removed, or to a database that was moved, acknowledges what nobody will
// ever read. SQLite does not look; this does.
//
//   J1. `checkLog` is cheap, and is called around every write: what was written is acknowledged only while the log has a name.
//   J2. `check` compares the names of all files with what was opened. It is called at every poll.
//   J3. A post is acknowledged only when `isLocked` is true before and after it. Locks that were dropped come back only when
//       the files are opened again, so they were held in between, and nobody could remove the log.
//   J4. The log is held open here; it is never locked, so closing it drops no lock.

import { closeSync, fstatSync, openSync } from "node:fs";
import { StoreFault } from "../../store/store-fault.ts";
import { identityOf, isSameFile, type FileIdentity } from "./file-identity.ts";
import { locksHere } from "./posix-locks.ts";

/** A write that follows another so soon needs no look before it: there was one after the other. */
const SURE_MS = 5;

export class StoreFiles {
  readonly #file: string;
  readonly #database: FileIdentity | undefined;
  readonly #log: number | undefined;
  readonly #logIdentity: FileIdentity | undefined;
  /** What has to be locked; nothing where the system does not tell. */
  readonly #locked: readonly bigint[];
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  /** Of the store in `file`, over which there is a connection that has read something. */
  constructor(file: string) {
    this.#file = file;
    this.#database = identityOf(file);
    this.#logIdentity = identityOf(logOf(file));
    this.#log = this.#logIdentity === undefined ? undefined : openSync(logOf(file), "r");
    const inodes = [this.#database, identityOf(`${file}-shm`)].flatMap((each) => each?.inode ?? []);
    this.#locked = locksHere(inodes) === true ? inodes : [];
  }

  /** False when this process has dropped its own locks (`posix-locks.ts`). */
  get isLocked(): boolean {
    return this.#locked.length === 0 || locksHere(this.#locked) !== false;
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
    const log = identityOf(logOf(this.#file));
    if (this.#log !== undefined && !isSameFile(this.#logIdentity, log)) throw moved(logOf(this.#file));
  }

  checkDatabase(): void {
    if (!isSameFile(this.#database, identityOf(this.#file))) throw moved(this.#file);
  }

  /** Before a write. */
  checkLogFirst(): void {
    if (performance.now() - this.#lookedAtMs > SURE_MS) this.checkLog();
  }

  checkLog(): void {
    if (this.#log === undefined) return;
    if (fstatSync(this.#log).nlink === 0) throw moved(logOf(this.#file));
    this.#lookedAtMs = performance.now();
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log);
  }
}

function logOf(file: string): string {
  return `${file}-wal`;
}

function moved(file: string): StoreFault {
  return new StoreFault(
    "STORE_MOVED",
    `${file} is not the file that was opened: it was moved, deleted or replaced; nothing more is written`,
  );
}

// The lock on the owner file: an exclusive transaction that is held open.

import { identityOf, isSameFile, type FileIdentity } from "./file-identity.ts";
import { locksHere } from "./posix-locks.ts";
import { createPrivateFile } from "./private-file.ts";
import { faultOf, isBusy } from "./sqlite-fault.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

export class OwnerLock {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #identity: FileIdentity | undefined;
  /** Whether the system tells that the lock is held; then it also tells when it is not. */
  readonly #isVisible: boolean;

  private constructor(file: string, database: DatabaseSync) {
    this.#file = file;
    this.#database = database;
    this.#identity = identityOf(file);
    this.#isVisible = this.#isListed();
  }

  /** Nothing when another process has it. Never waits. */
  static take(file: string): OwnerLock | undefined {
    let database: DatabaseSync | undefined;
    try {
      createPrivateFile(file);
      database = openDatabase(file, { timeout: 0 });
      // Nothing is written to it, so a journal file would only need room: a full disk can still be owned. A defensive
      // connection ignores the mode OFF.
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      return new OwnerLock(file, database);
    } catch (error) {
      database?.close();
      const fault = faultOf(error);
      if (isBusy(fault)) return undefined;
      throw fault;
    }
  }

  /** False when the file was replaced, or the lock was dropped by this process itself (`posix-locks.ts`). */
  isHeld(): boolean {
    return isSameFile(this.#identity, identityOf(this.#file)) && (!this.#isVisible || this.#isListed());
  }

  close(): void {
    this.#database.close();
  }

  #isListed(): boolean {
    return this.#identity !== undefined && locksHere([this.#identity.inode]) === true;
  }
}

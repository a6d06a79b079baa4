// The lock on the owner file: an exclusive transaction that stays open.

import { fileIdentity, isSameFile, type FileIdentity } from "./file-identity.ts";
import { HeldLocks } from "./held-locks.ts";
import { refuseOther } from "./owner-name.ts";
import { createPrivateFile } from "./private-file.ts";
import { toStoreFault, isBusy } from "./sqlite-fault.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

export class OwnerLock {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #identity: FileIdentity | undefined;
  /** Undefined if the system does not report locks. */
  readonly #locks: HeldLocks | undefined;

  private constructor(file: string, database: DatabaseSync) {
    this.#file = file;
    this.#database = database;
    this.#identity = fileIdentity(file);
    this.#locks = this.#identity === undefined ? undefined : HeldLocks.find([this.#identity]);
  }

  /** Undefined if another process holds the lock. It never waits. */
  static tryAcquire(file: string): OwnerLock | undefined {
    let database: DatabaseSync | undefined;
    try {
      if (!createPrivateFile(file)) refuseOther(file);
      database = openDatabase(file, { timeout: 0 });
      // The lock writes nothing to the owner file, so a journal file would only need disk space: a process can own a store
      // on a full disk. A defensive connection ignores the mode OFF.
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      return new OwnerLock(file, database);
    } catch (error) {
      database?.close();
      const fault = toStoreFault(error);
      if (isBusy(fault)) return undefined;
      throw fault;
    }
  }

  /** False if the file was replaced, or if this process itself dropped the lock (`held-locks.ts`). */
  isHeld(): boolean {
    return isSameFile(this.#identity, fileIdentity(this.#file)) && this.#locks?.areHeld() !== false;
  }

  close(): void {
    this.#locks?.close();
    this.#database.close();
  }
}

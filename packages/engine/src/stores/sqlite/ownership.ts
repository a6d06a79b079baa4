// Ownership of a file: one process runs what is in it, others read and post (LEASE-1).
//
//   O1. The lock is the operating system's: an exclusive transaction held open on a file beside the store. It is free the
//       moment its holder is gone, however it went, and no clock has a part in it.
//   O2. The store's own file is never locked by it, so that others can post while it is owned.

import { createPrivateFile } from "./private-file.ts";
import { faultOf, isBusy } from "./sqlite-fault.ts";
import { DatabaseSync } from "./sqlite-module.ts";

/** The file that is locked for the store in `file`. */
export function ownerFile(file: string): string {
  return `${file}-owner`;
}

export class Ownership {
  readonly #file: string;
  #lock: DatabaseSync | undefined;

  /** Of the store in `file`. */
  constructor(file: string) {
    this.#file = ownerFile(file);
  }

  get isOwner(): boolean {
    return this.#lock !== undefined;
  }

  /** True when this is the owner now; false when somebody else is. Never waits, and is never lost (O1). */
  async tryOwn(): Promise<boolean> {
    this.#lock ??= lockOf(this.#file);
    return this.isOwner;
  }

  release(): void {
    this.#lock?.close();
    this.#lock = undefined;
  }
}

function lockOf(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    createPrivateFile(file);
    database = new DatabaseSync(file, { timeout: 0 });
    // Nothing is written to it, so there is nothing to roll back; a full disk can still be owned.
    database.exec("PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database?.close();
    const fault = faultOf(error);
    if (isBusy(fault)) return undefined;
    throw fault;
  }
}

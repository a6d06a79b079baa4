// Ownership of a file: one process runs what is in it, others read and post (LEASE-1).
//
//   O1. The lock is the operating system's: an exclusive transaction held open on a file beside the store. It is free the
//       moment its holder is gone, however it went, and no clock has a part in it.
//   O2. The store's own file is never locked by it, so that others can post while it is owned.
//   O3. On Linux an owner also has a socket that is named after the database itself (`owner-socket.ts`).
//   O4. A lock that was dropped, or whose file was replaced, is taken again at the next `verify`. Where another process has
//       it, and keeps it, the store is lost.

import { fileIdentity } from "./file-identity.ts";
import { retry } from "./lost-locks.ts";
import { OwnerLock } from "./owner-lock.ts";
import { ownerFile } from "./owner-name.ts";
import { OwnerSocket, type BindResult } from "./owner-socket.ts";

export class StoreOwnership {
  readonly #database: string;
  readonly #file: string;
  #lock: OwnerLock | undefined;
  #socket: OwnerSocket | undefined;
  #onLost: () => void = () => undefined;
  #hasOwned = false;

  /** Of the store in `file`. */
  constructor(file: string) {
    this.#database = file;
    this.#file = ownerFile(file);
  }

  get isOwner(): boolean {
    return this.#lock !== undefined;
  }

  /** Whether this was the owner at any time. */
  get hasOwned(): boolean {
    return this.#hasOwned;
  }

  /** True when this is the owner now; false when somebody else is. Never waits for them. */
  async tryOwn(onLost: () => void = () => undefined): Promise<boolean> {
    if (this.isOwner) return true;
    const lock = OwnerLock.take(this.#file);
    if (lock === undefined) return false;
    const bound = await this.#bind(lock);
    if (bound.kind === "taken") {
      lock.close();
      return false;
    }
    this.#lock = lock;
    this.#socket = bound.kind === "bound" ? bound.socket : undefined;
    this.#onLost = onLost;
    this.#hasOwned = true;
    return true;
  }

  /** Takes a lock again that is not held any more (O4). */
  verify(): void {
    if (this.#lock === undefined || this.#lock.isHeld()) return;
    const lost = this.#lock;
    this.#lock = undefined;
    lost.close();
    try {
      // Who only looks whether there is an owner has the lock for a moment.
      retry(() => (this.#lock = OwnerLock.take(this.#file)) !== undefined);
    } finally {
      if (this.#lock === undefined) this.#lose();
    }
  }

  #lose(): void {
    this.release();
    this.#onLost();
  }

  release(): void {
    this.#lock?.close();
    this.#lock = undefined;
    this.#socket?.close();
    this.#socket = undefined;
  }

  async #bind(lock: OwnerLock): Promise<BindResult> {
    try {
      const database = fileIdentity(this.#database);
      return database === undefined ? { kind: "unsupported" } : await OwnerSocket.bind(database);
    } catch (error) {
      lock.close();
      throw error;
    }
  }
}

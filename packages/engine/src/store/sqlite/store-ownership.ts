// Ownership of a file: one process runs its executions, others read and post (LEASE-1).
//
//   O1. The lock belongs to the operating system: an exclusive transaction that stays open on a file beside the store.
//       The system frees it when its holder ends for any reason, and it depends on no clock.
//   O2. The lock is not on the store's own file, so that other processes can post while the store is owned.
//   O3. On Linux an owner also has a socket that is named after the database itself (`owner-socket.ts`).
//   O4. `verify` takes the lock again if it was dropped or if its file was replaced. If another process keeps holding
//       the lock, ownership is lost.

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

  /** Ownership of the store in `file`. */
  constructor(file: string) {
    this.#database = file;
    this.#file = ownerFile(file);
  }

  get isOwner(): boolean {
    return this.#lock !== undefined;
  }

  /** Whether this process was the owner at any time. */
  get hasOwned(): boolean {
    return this.#hasOwned;
  }

  /** True if this process owns the store now; false if another process does. It never waits for the other process. */
  async tryOwn(onLost: () => void = () => undefined): Promise<boolean> {
    if (this.isOwner) return true;
    const lock = OwnerLock.tryAcquire(this.#file);
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

  /** Takes the lock again if it is no longer held (O4). */
  verify(): void {
    if (this.#lock === undefined || this.#lock.isHeld()) return;
    const lostLock = this.#lock;
    this.#lock = undefined;
    lostLock.close();
    try {
      // A process that only checks for an owner holds the lock for a moment.
      retry(() => (this.#lock = OwnerLock.tryAcquire(this.#file)) !== undefined);
    } finally {
      if (this.#lock === undefined) this.#onLockLost();
    }
  }

  #onLockLost(): void {
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

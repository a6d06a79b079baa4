// Everything that became durable in a store, in its order: a copy of the store as it was at any moment can be made from it.

import { SharedStorage } from "../../../src/testing/faulty-store.ts";
import { MemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { CommitBatch, NewMessage } from "../../../src/store/store.ts";

export class StoreHistory {
  readonly #changes: ((store: MemoryStore) => Promise<unknown>)[] = [];

  follow(disk: SharedStorage): void {
    disk.onCommitted = (batch: CommitBatch): void => void this.#changes.push((store) => store.commit(batch));
    disk.onPosted = (_, message: NewMessage): void => void this.#changes.push((store) => store.post(message));
  }

  /** A store of its own, with all that is durable now. */
  async copy(): Promise<SharedStorage> {
    const store = new MemoryStore();
    for (const change of this.#changes.slice()) await change(store);
    return new SharedStorage(store);
  }
}

// The history of a store: all durable writes in order. It can recreate the store at any moment.

import { SharedStorage } from "../../../src/testing/faulty-store.ts";
import { MemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { CommitBatch, NewMessage } from "../../../src/store/store.ts";

export class StoreHistory {
  readonly #changes: ((store: MemoryStore) => Promise<unknown>)[] = [];

  follow(disk: SharedStorage): void {
    disk.onCommitted = (batch: CommitBatch): void => void this.#changes.push((store) => store.commit(batch));
    disk.onPosted = (_, message: NewMessage): void => void this.#changes.push((store) => store.post(message));
  }

  /** A separate store with all data that is durable now. */
  async copy(): Promise<SharedStorage> {
    const store = new MemoryStore();
    for (const change of this.#changes.slice()) await change(store);
    return new SharedStorage(store);
  }
}

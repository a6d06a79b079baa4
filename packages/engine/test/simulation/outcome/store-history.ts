// Everything that became durable in a store, in its order: a copy of the store as it was at any moment can be made from it.

import { Disk } from "../../../src/testing/faulty-store.ts";
import { MemoryStore } from "../../../src/stores/memory/memory-store.ts";
import type { Batch, NewMessage } from "../../../src/store/store.ts";

export class StoreHistory {
  readonly #changes: ((store: MemoryStore) => Promise<unknown>)[] = [];

  follow(disk: Disk): void {
    disk.onCommitted = (batch: Batch): void => void this.#changes.push((store) => store.commit(batch));
    disk.onPosted = (_, message: NewMessage): void => void this.#changes.push((store) => store.post(message));
  }

  /** A store of its own, with all that is durable now. */
  async copy(): Promise<Disk> {
    const store = new MemoryStore();
    for (const change of this.#changes.slice()) await change(store);
    return new Disk(store);
  }
}

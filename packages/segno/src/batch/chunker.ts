// The chunker: splits items into chunks, in order of arrival.
//
//   C1. A chunk has at least one item. It ends after a number of items, at the end of the source, or a time after its
//       first item.
//   C2. At most one pull is pending. A pull that outlasts its window belongs to the next one.
//   C3. Time is the engine's clock. At most one alarm is set, however many windows there are.
//   C4. A window that is in the journal is split as before, whatever time has passed since.
//   C5. If the source fails, the items of the incomplete chunk are dropped: a later execution would split them
//       differently.

import type { ItemSource, Pull } from "./item-source.ts";

export interface Chunk<Item> {
  readonly chunk: number;
  readonly index: number;
  readonly items: readonly Item[];
}

export interface ChunkPolicy {
  readonly count: number;
  readonly timeMs: number | undefined;
}

export interface ChunkerPorts {
  /** Fires once after the delay. A new alarm replaces the previous one. */
  alarm(ms: number, ring: () => void): void;
  /** The number of items of a window that is in the journal. */
  recordedCount(chunk: number): Promise<number | undefined>;
}

export class Chunker<Item> {
  readonly #source: ItemSource<Item>;
  readonly #policy: ChunkPolicy;
  readonly #ports: ChunkerPorts;
  #chunk = 0;
  #index = 0;
  #pending: Promise<Pull<Item>> | undefined;
  /** True until the first window that is not in the journal. */
  #isRecorded = true;
  #window: OpenWindow | undefined;

  constructor(source: ItemSource<Item>, cut: ChunkPolicy, ports: ChunkerPorts) {
    this.#source = source;
    this.#policy = cut;
    this.#ports = ports;
  }

  /** Undefined if the source has no more items. */
  async next(): Promise<Chunk<Item> | undefined> {
    const items =
      this.#policy.timeMs === undefined ? await this.#pullCount(this.#policy.count) : await this.#pullForTime();
    if (items.length === 0) return undefined;
    const chunk = { chunk: this.#chunk++, index: this.#index, items };
    this.#index += items.length;
    return chunk;
  }

  async #pullCount(count: number): Promise<readonly Item[]> {
    const items: Item[] = [];
    while (items.length < count) {
      const step = this.#pending ?? this.#source.pull();
      this.#pending = undefined;
      const pull = step instanceof Promise ? await step : step;
      if (pull.kind === "end") break;
      items.push(pull.item);
    }
    return items;
  }

  async #pullForTime(): Promise<readonly Item[]> {
    // C4.
    const recorded = this.#isRecorded ? await this.#ports.recordedCount(this.#chunk) : undefined;
    this.#isRecorded = recorded !== undefined;
    return recorded === undefined ? this.#inTime() : this.#pullCount(recorded);
  }

  async #inTime(): Promise<readonly Item[]> {
    const items: Item[] = [];
    try {
      while (items.length < this.#policy.count) {
        const pull = await this.#pullInTime();
        if (pull === "late" || pull.kind === "end") break;
        items.push(pull.item);
        this.#window ??= this.#openWindow();
      }
    } finally {
      this.#window = undefined;
    }
    return items;
  }

  async #pullInTime(): Promise<Pull<Item> | "late"> {
    this.#pending ??= Promise.resolve(this.#source.pull());
    const pull = await (this.#window === undefined
      ? this.#pending
      : Promise.race([this.#pending, this.#window.closed]));
    if (pull !== "late") this.#pending = undefined;
    return pull;
  }

  #openWindow(): OpenWindow {
    const { promise: closed, resolve } = Promise.withResolvers<"late">();
    // The alarm of the last window may fire when nothing waits for it any more.
    this.#ports.alarm(this.#policy.timeMs!, () => resolve("late"));
    return { closed };
  }
}

interface OpenWindow {
  readonly closed: Promise<"late">;
}

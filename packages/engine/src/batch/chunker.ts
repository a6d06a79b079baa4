// The cutter: items become chunks, in the order in which they come.
//
//   C1. A chunk has at least one item. It ends with so many items, with the source, or so long after its first item.
//   C2. At most one pull is under way. One that outlasts its window belongs to the next.
//   C3. Time is the engine's. One alarm at most is set, however many windows are cut.
//   C4. A window that is in the journal is cut as it was then, whatever time has passed since.
//   C5. When the source fails, what was not yet a whole chunk is given to nobody: the next time it would be cut otherwise.

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
  /** Rings once, so much later. A new alarm replaces the one before. */
  alarm(ms: number, ring: () => void): void;
  /** How many items a window had that is in the journal already. */
  recordedCount(chunk: number): Promise<number | undefined>;
}

export class Chunker<Item> {
  readonly #source: ItemSource<Item>;
  readonly #policy: ChunkPolicy;
  readonly #ports: ChunkerPorts;
  #chunk = 0;
  #index = 0;
  #pending: Promise<Pull<Item>> | undefined;
  /** Until one is missing, windows may be in the journal. */
  #isRecorded = true;
  #window: OpenWindow | undefined;

  constructor(source: ItemSource<Item>, cut: ChunkPolicy, ports: ChunkerPorts) {
    this.#source = source;
    this.#policy = cut;
    this.#ports = ports;
  }

  /** Nothing when the source has no more items. */
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
    // The alarm of the last window of all may ring when nobody waits any more.
    this.#ports.alarm(this.#policy.timeMs!, () => resolve("late"));
    return { closed };
  }
}

interface OpenWindow {
  readonly closed: Promise<"late">;
}

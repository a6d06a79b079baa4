// The cutter: items become portions, in the order in which they come.
//
//   C1. A portion has at least one item. It ends with so many items, with the source, or so long after its first item.
//   C2. At most one pull is under way. One that outlasts its window belongs to the next.
//   C3. Time is the engine's. One alarm at most is set, however many windows are cut.
//   C4. A window that is in the journal is cut as it was then, whatever time has passed since.
//   C5. When the source fails, what was not yet a whole portion is given to nobody: the next time it would be cut otherwise.

import type { ItemSource, Pull } from "./item-source.ts";

export interface Portion<Item> {
  readonly portion: number;
  readonly index: number;
  readonly items: readonly Item[];
}

export interface Cut {
  readonly count: number;
  readonly timeMs: number | undefined;
}

export interface CutterPorts {
  /** Rings once, so much later. A new alarm replaces the one before. */
  alarm(ms: number, ring: () => void): void;
  /** How many items a window had that is in the journal already. */
  recorded(portion: number): Promise<number | undefined>;
}

export class PortionCutter<Item> {
  readonly #source: ItemSource<Item>;
  readonly #cut: Cut;
  readonly #ports: CutterPorts;
  #portion = 0;
  #index = 0;
  #pending: Promise<Pull<Item>> | undefined;
  /** Until one is missing, windows may be in the journal. */
  #isRecorded = true;
  #window: OpenWindow | undefined;

  constructor(source: ItemSource<Item>, cut: Cut, ports: CutterPorts) {
    this.#source = source;
    this.#cut = cut;
    this.#ports = ports;
  }

  /** Nothing when the source has no more items. */
  async next(): Promise<Portion<Item> | undefined> {
    const items = this.#cut.timeMs === undefined ? await this.#counted(this.#cut.count) : await this.#timed();
    if (items.length === 0) return undefined;
    const portion = { portion: this.#portion++, index: this.#index, items };
    this.#index += items.length;
    return portion;
  }

  async #counted(count: number): Promise<readonly Item[]> {
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

  async #timed(): Promise<readonly Item[]> {
    // C4.
    const recorded = this.#isRecorded ? await this.#ports.recorded(this.#portion) : undefined;
    this.#isRecorded = recorded !== undefined;
    return recorded === undefined ? this.#inTime() : this.#counted(recorded);
  }

  async #inTime(): Promise<readonly Item[]> {
    const items: Item[] = [];
    try {
      while (items.length < this.#cut.count) {
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
    this.#ports.alarm(this.#cut.timeMs!, () => resolve("late"));
    return { closed };
  }
}

interface OpenWindow {
  readonly closed: Promise<"late">;
}

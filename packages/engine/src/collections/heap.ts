// A heap whose items can leave or change their rank at any time. Insertion, removal and repositioning cost O(log n).

/** An item with a rank. The larger key comes first; then the smaller turn, rank and time, in this order. */
export class Ranked {
  /** Its index in the heap; negative if it is in none. */
  at: number = -1;
  key: number = 0;
  fairnessSeq: number = 0;
  rank: number = 0;
  since: number = 0;
}

export function comesBefore(a: Ranked, b: Ranked): boolean {
  if (a.key !== b.key) return a.key > b.key;
  if (a.fairnessSeq !== b.fairnessSeq) return a.fairnessSeq < b.fairnessSeq;
  return a.rank === b.rank ? a.since < b.since : a.rank < b.rank;
}

export class Heap<Item extends Ranked> {
  readonly #items: Item[] = [];

  get first(): Item | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  /** Unordered. */
  get all(): readonly Item[] {
    return this.#items;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** The item must be in the heap. */
  delete(item: Item): void {
    const { at } = item;
    const last = this.#items.pop()!;
    item.at = -1;
    if (last === item) return;
    this.#place(last, at);
    this.reposition(last);
  }

  /** Called after the rank of an item has changed. */
  reposition(item: Item): void {
    if (this.#items.length === 1) return;
    if (item.at > 0 && comesBefore(item, this.#items[(item.at - 1) >> 1]!)) this.#rise(item, item.at);
    else this.#sink(item, item.at);
  }

  #place(item: Item, at: number): void {
    this.#items[at] = item;
    item.at = at;
  }

  #rise(item: Item, from: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = this.#items[above]!;
      if (!comesBefore(item, other)) break;
      this.#place(other, at);
      at = above;
    }
    this.#place(item, at);
  }

  #sink(item: Item, from: number): void {
    let at = from;
    for (let below = this.#firstBelow(at); below !== undefined; below = this.#firstBelow(at)) {
      if (!comesBefore(below, item)) break;
      const next = below.at;
      this.#place(below, at);
      at = next;
    }
    this.#place(item, at);
  }

  #firstBelow(at: number): Item | undefined {
    const left = this.#items[at * 2 + 1];
    const right = this.#items[at * 2 + 2];
    return right !== undefined && comesBefore(right, left!) ? right : left;
  }
}

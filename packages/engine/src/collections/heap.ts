// A heap whose items can leave or change their rank at any time. Insertion, removal and repositioning cost O(log n).

/**
 * An item with a rank, which its four fields define together. The larger key comes first; then the smaller tie-break
 * sequence, step rank and time, in this order.
 */
export class Ranked {
  /** Its index in the heap; negative if it is not in a heap. */
  index: number = -1;
  key: number = 0;
  tieBreakSeq: number = 0;
  stepRank: number = 0;
  since: number = 0;
}

export function comesBefore(a: Ranked, b: Ranked): boolean {
  if (a.key !== b.key) return a.key > b.key;
  if (a.tieBreakSeq !== b.tieBreakSeq) return a.tieBreakSeq < b.tieBreakSeq;
  return a.stepRank === b.stepRank ? a.since < b.since : a.stepRank < b.stepRank;
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
    const { index } = item;
    const last = this.#items.pop()!;
    item.index = -1;
    if (last === item) return;
    this.#set(last, index);
    this.reposition(last);
  }

  /** Called after the rank of an item has changed. */
  reposition(item: Item): void {
    if (this.#items.length === 1) return;
    if (item.index > 0 && comesBefore(item, this.#items[(item.index - 1) >> 1]!)) this.#rise(item, item.index);
    else this.#sink(item, item.index);
  }

  #set(item: Item, index: number): void {
    this.#items[index] = item;
    item.index = index;
  }

  #rise(item: Item, from: number): void {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const other = this.#items[above]!;
      if (!comesBefore(item, other)) break;
      this.#set(other, index);
      index = above;
    }
    this.#set(item, index);
  }

  #sink(item: Item, from: number): void {
    let index = from;
    for (let below = this.#firstBelow(index); below !== undefined; below = this.#firstBelow(index)) {
      if (!comesBefore(below, item)) break;
      const next = below.index;
      this.#set(below, index);
      index = next;
    }
    this.#set(item, index);
  }

  #firstBelow(index: number): Item | undefined {
    const left = this.#items[index * 2 + 1];
    const right = this.#items[index * 2 + 2];
    return right !== undefined && comesBefore(right, left!) ? right : left;
  }
}

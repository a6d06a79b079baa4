// A first-in first-out queue. `shift()` of an array moves all other items, so its cost grows with the length of the array; here
// adding and taking cost the same at every length.

/** The queue keeps up to this many spent slots, because a new array for every item is expensive. */
const SPENT_MAX = 64;

export class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  /** The slot of the first item. The slots before it are spent and hold nothing, so that taken items can be collected. */
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  get isEmpty(): boolean {
    return this.#head === this.#items.length;
  }

  get first(): Item | undefined {
    return this.#items[this.#head];
  }

  /** The item at this distance from the first. */
  peek(offset: number): Item | undefined {
    return this.#items[this.#head + offset];
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  /** Adds an item before all others. */
  addFirst(item: Item): void {
    if (this.#head === 0) this.#items.unshift(item);
    else this.#items[--this.#head] = item;
  }

  take(): Item | undefined {
    if (this.isEmpty) return undefined;
    const item = this.#items[this.#head];
    this.drop();
    return item;
  }

  /** Removes the first items, or all where there are fewer. */
  drop(count = 1): void {
    const end = Math.min(this.#head + count, this.#items.length);
    while (this.#head < end) this.#items[this.#head++] = undefined;
    if (this.#head > SPENT_MAX && this.#head >= this.size) this.#removeSpent();
  }

  takeAll(): Item[] {
    const items = this.toArray();
    this.clear();
    return items;
  }

  clear(): void {
    this.#items.length = 0;
    this.#head = 0;
  }

  toArray(): Item[] {
    return this.#items.slice(this.#head) as Item[];
  }

  #removeSpent(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}

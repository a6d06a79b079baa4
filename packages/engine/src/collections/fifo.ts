// A FIFO queue. Removing the first element of an array moves all others, which costs more the longer it is.

/** The array is compacted when this many elements were removed and they are the majority. */
const SPENT_MAX = 1024;

export class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  add(item: Item): void {
    this.#items.push(item);
  }

  take(): Item | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > SPENT_MAX && this.#head > this.size) this.#clearAway();
    return item;
  }

  takeAll(): Item[] {
    const items = this.#items.slice(this.#head) as Item[];
    this.#items = [];
    this.#head = 0;
    return items;
  }

  #clearAway(): void {
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}

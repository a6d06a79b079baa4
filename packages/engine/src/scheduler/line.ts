// A line: first in, first out, from which anybody may step out.
//
// A `Set` would do, but finding its first member costs more the more members have left it from the front: its places are
// kept until it shrinks, and every look passes over all of them.

const COMPACT_MIN = 1024;

export class Line<Item extends object> {
  #items: (Item | undefined)[] = [];
  readonly #places = new Map<Item, number>();
  /** Places given out before the first that is still kept. */
  #dropped = 0;
  #head = 0;

  get size(): number {
    return this.#places.size;
  }

  add(item: Item): void {
    this.#places.set(item, this.#dropped + this.#items.length);
    this.#items.push(item);
  }

  delete(item: Item): void {
    const place = this.#places.get(item);
    if (place === undefined) return;
    this.#places.delete(item);
    this.#items[place - this.#dropped] = undefined;
    while (this.#head < this.#items.length && this.#items[this.#head] === undefined) this.#head++;
    if (this.#head > COMPACT_MIN && this.#head * 2 > this.#items.length) this.#compact();
  }

  /** The first that fits, in the order in which they came. */
  find(fits: (item: Item) => boolean): Item | undefined {
    for (let index = this.#head; index < this.#items.length; index++) {
      const item = this.#items[index];
      if (item !== undefined && fits(item)) return item;
    }
    return undefined;
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head);
    this.#dropped += this.#head;
    this.#head = 0;
  }
}

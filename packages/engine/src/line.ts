// A line: first in, first out, from which anybody may step out. Everybody knows who is before and behind, so stepping in and
// out costs the same however long the line is.

export class Place {
  before: this | undefined = undefined;
  behind: this | undefined = undefined;
}

export class Line<Item extends Place> {
  #first: Item | undefined;
  #last: Item | undefined;
  #size = 0;

  get first(): Item | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    item.before = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.behind = item;
    this.#last = item;
    this.#size++;
  }

  /** Who leaves must stand in it. */
  delete(item: Item): void {
    const { before, behind } = item;
    if (before === undefined) this.#first = behind;
    else before.behind = behind;
    if (behind === undefined) this.#last = before;
    else behind.before = before;
    item.before = item.behind = undefined;
    this.#size--;
  }
}

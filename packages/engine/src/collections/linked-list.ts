// A doubly linked FIFO list. Any item can be removed at constant cost.

export class ListNode {
  prev: this | undefined = undefined;
  next: this | undefined = undefined;
}

export class LinkedList<Item extends ListNode> {
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
    item.prev = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
    this.#size++;
  }

  /** The item must be in the list. */
  delete(item: Item): void {
    const { prev, next } = item;
    if (prev === undefined) this.#first = next;
    else prev.next = next;
    if (next === undefined) this.#last = prev;
    else next.prev = prev;
    item.prev = item.next = undefined;
    this.#size--;
  }
}

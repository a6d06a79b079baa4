// Maps and sets that allocate nothing while they are empty. A state has fifteen of them, and most executions use two: before,
// the empty ones were the largest part of a small execution.

export class LazyMap<Key, Value> {
  #entries: Map<Key, Value> | undefined;

  get size(): number {
    return this.#entries?.size ?? 0;
  }

  has(key: Key): boolean {
    return this.#entries?.has(key) === true;
  }

  get(key: Key): Value | undefined {
    return this.#entries?.get(key);
  }

  set(key: Key, value: Value): void {
    (this.#entries ??= new Map()).set(key, value);
  }

  delete(key: Key): void {
    this.#entries?.delete(key);
  }

  clear(): void {
    this.#entries = undefined;
  }

  keys(): Iterable<Key> {
    return this.#entries?.keys() ?? [];
  }

  values(): Iterable<Value> {
    return this.#entries?.values() ?? [];
  }

  [Symbol.iterator](): Iterator<[Key, Value]> {
    return (this.#entries ?? [])[Symbol.iterator]();
  }
}

export class LazySet<Item> {
  #items: Set<Item> | undefined;

  get size(): number {
    return this.#items?.size ?? 0;
  }

  has(item: Item): boolean {
    return this.#items?.has(item) === true;
  }

  add(item: Item): void {
    (this.#items ??= new Set()).add(item);
  }

  delete(item: Item): void {
    this.#items?.delete(item);
  }

  clear(): void {
    this.#items = undefined;
  }

  [Symbol.iterator](): Iterator<Item> {
    return (this.#items ?? [])[Symbol.iterator]();
  }
}

// Records which keys and items of a value a schema has evaluated.

import type { SchemaFuel } from "./schema-fuel.ts";

export class Evaluated {
  readonly #keys = new Set<string>();
  readonly #items = new Set<number>();
  /** All items before this index are evaluated. */
  #itemsUpTo = 0;

  key(key: string): void {
    this.#keys.add(key);
  }

  item(index: number): void {
    this.#items.add(index);
  }

  itemsUpTo(count: number): void {
    this.#itemsUpTo = Math.max(this.#itemsUpTo, count);
  }

  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** So many items from the start of the list are evaluated. */
  get leadingItems(): number {
    return this.#itemsUpTo;
  }

  /** Whether an item behind the leading ones is evaluated. */
  hasSingleItem(index: number): boolean {
    return this.#items.has(index);
  }

  addAll(other: Evaluated, fuel: SchemaFuel): void {
    fuel.keys(other.#keys.size + other.#items.size);
    this.itemsUpTo(other.#itemsUpTo);
    for (const key of other.#keys) this.#keys.add(key);
    for (const item of other.#items) this.#items.add(item);
  }
}

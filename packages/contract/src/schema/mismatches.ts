// Collects the mismatches between a value and a schema, each with its path, up to a limit.

import { formatJsonPath, type SchemaMismatch } from "@segno/kernel";

const MISMATCHES_MAX = 20;

/** The location in the value to which a schema is applied, as a linked list from the inside to the outside. */
export interface InstanceLocation {
  readonly around: InstanceLocation | undefined;
  readonly key: string | number;
}

export class Mismatches {
  readonly #told = new Map<string, SchemaMismatch>();

  get isFull(): boolean {
    return this.#told.size >= MISMATCHES_MAX;
  }

  get all(): readonly SchemaMismatch[] {
    return [...this.#told.values()];
  }

  add(place: InstanceLocation | undefined, message: string): void {
    if (this.isFull) return;
    const path = toPathText(place);
    this.#told.set(JSON.stringify([path, message]), { path, message });
  }

  addAll(others: Mismatches): void {
    for (const [key, mismatch] of others.#told) if (!this.isFull) this.#told.set(key, mismatch);
  }
}

/** `items[2].name`, empty for the value itself. */
function toPathText(place: InstanceLocation | undefined): string {
  const path: (string | number)[] = [];
  for (let each = place; each !== undefined; each = each.around) path.push(each.key);
  return path.length === 0 ? "" : formatJsonPath(path.toReversed());
}

// Collects the mismatches between a value and a schema, each with its path, up to a limit.

import { formatJsonPath, type SchemaMismatch } from "@segno/kernel";

const MISMATCHES_MAX = 20;

/** The location in the value to which a schema is applied, as a linked list from the inside to the outside. */
export interface InstanceLocation {
  readonly parent: InstanceLocation | undefined;
  readonly key: string | number;
}

export class Mismatches {
  readonly #mismatches = new Map<string, SchemaMismatch>();

  get isFull(): boolean {
    return this.#mismatches.size >= MISMATCHES_MAX;
  }

  get all(): readonly SchemaMismatch[] {
    return [...this.#mismatches.values()];
  }

  add(location: InstanceLocation | undefined, message: string): void {
    if (this.isFull) return;
    const path = toPathText(location);
    this.#mismatches.set(JSON.stringify([path, message]), { path, message });
  }

  addAll(others: Mismatches): void {
    for (const [key, mismatch] of others.#mismatches) if (!this.isFull) this.#mismatches.set(key, mismatch);
  }
}

/** `items[2].name`, empty for the value itself. */
function toPathText(location: InstanceLocation | undefined): string {
  const path: (string | number)[] = [];
  for (let each = location; each !== undefined; each = each.parent) path.push(each.key);
  return path.length === 0 ? "" : formatJsonPath(path.toReversed());
}

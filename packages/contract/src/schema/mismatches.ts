// Collects the mismatches between a value and a schema, each with its path, up to a limit.
//
//   M1. A path is written when the mismatches are read. Most mismatches are never read: a branch of `anyOf` that does not fit has some,
//       and another branch fits. Writing each path would cost the depth of the value for every item in it.

import { formatJsonPath, type SchemaMismatch } from "@segno/kernel";

const MISMATCHES_MAX = 20;

/** The location in the value to which a schema is applied, as a linked list from the inside to the outside. */
export interface InstanceLocation {
  readonly parent: InstanceLocation | undefined;
  readonly key: string | number;
  /** The length of the path. */
  readonly length: number;
}

/** The location of an item or of the value of a key. */
export function locationInside(parent: InstanceLocation | undefined, key: string | number): InstanceLocation {
  return { parent, key, length: (parent?.length ?? 0) + 1 };
}

interface Mismatch {
  readonly location: InstanceLocation | undefined;
  readonly message: string;
}

export class Mismatches {
  readonly #mismatches: Mismatch[] = [];

  get isFull(): boolean {
    return this.#mismatches.length >= MISMATCHES_MAX;
  }

  get all(): readonly SchemaMismatch[] {
    return this.#mismatches.map(({ location, message }) => ({ path: toPathText(location), message }));
  }

  /** Does nothing if the same mismatch is known. */
  add(location: InstanceLocation | undefined, message: string): void {
    if (this.isFull) return;
    const isKnown = this.#mismatches.some((each) => each.message === message && isSame(each.location, location));
    if (!isKnown) this.#mismatches.push({ location, message });
  }

  addAll(others: Mismatches): void {
    for (const { location, message } of others.#mismatches) this.add(location, message);
  }
}

/** Two branches make two lists for one location; behind the schema that has both branches, the lists are one. */
function isSame(one: InstanceLocation | undefined, other: InstanceLocation | undefined): boolean {
  if (one?.length !== other?.length) return false;
  let [left, right] = [one, other];
  while (left !== right) {
    if (left === undefined || right === undefined || left.key !== right.key) return false;
    [left, right] = [left.parent, right.parent];
  }
  return true;
}

/** `items[2].name`, empty for the value itself. */
function toPathText(location: InstanceLocation | undefined): string {
  const path: (string | number)[] = [];
  for (let each = location; each !== undefined; each = each.parent) path.push(each.key);
  return path.length === 0 ? "" : formatJsonPath(path.toReversed());
}

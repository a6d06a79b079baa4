// The fuel of one check of a value, which bounds its cost.
//
//   U1. One unit pays for one schema applied to one value, sixteen keys, 64 characters passed over, or 16 characters times
//       states of a pattern. The same schema and value always cost the same.
//   U2. Every check has a base amount, and a larger value adds to it, so that work that is linear in the value always has enough.
//       A schema that applies exponentially many others to one value runs out of fuel.
//   U3. A value that is larger than an engine accepts is refused when it is measured. This ends the measuring of a value that
//       contains itself.

import { isJsonArray, isJsonObject, VALUE_BYTES_MAX, type Json } from "@segno/kernel";

const BASE = 500_000;
const PER_NODE = 32;
const CHARACTERS_PER_NODE = 8;

export class SchemaFuelSpent extends Error {
  override readonly name: string = "SchemaFuelSpent";
}

export class SchemaFuel {
  readonly #value: Json;
  #limit = BASE;
  #used = 0;
  #isMeasured = false;

  constructor(value: Json) {
    this.#value = value;
  }

  spend(units: number): void {
    this.#used += units;
    if (this.#used > this.#limit) this.#extend();
  }

  keys(count: number): void {
    this.spend(count / 16);
  }

  text(characters: number): void {
    this.spend(characters / 64);
  }

  pattern(characters: number, states: number): void {
    this.spend(1 + (characters * states) / 16);
  }

  /** Measures the value only when the base amount is used up, which is rare. */
  #extend(): void {
    if (!this.#isMeasured) this.#limit += PER_NODE * measureValue(this.#value);
    this.#isMeasured = true;
    if (this.#used > this.#limit)
      throw new SchemaFuelSpent("checking the value needs more fuel than a schema may use; simplify the schema");
  }
}

function measureValue(value: Json): number {
  const size = jsonSize(value);
  if (size > VALUE_BYTES_MAX)
    throw new SchemaFuelSpent(`the value cannot be checked: expected at most ${VALUE_BYTES_MAX} bytes, found more`);
  return size;
}

/** Counts values and eighths of characters, iteratively, which is less than the bytes of its JSON. Ends above the limit (U3). */
function jsonSize(value: Json): number {
  let size = 1;
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined && size <= VALUE_BYTES_MAX; next = open.pop()) {
    if (typeof next === "string") size += next.length / CHARACTERS_PER_NODE;
    else if (isJsonArray(next)) {
      size += next.length;
      if (size <= VALUE_BYTES_MAX) for (const item of next) open.push(item);
    } else if (isJsonObject(next)) {
      for (const key of Object.keys(next)) {
        size += 1 + key.length / CHARACTERS_PER_NODE;
        open.push(next[key]!);
      }
    }
  }
  return size;
}

// Writes a value as text that is the same for equal values only: keys are sorted, and 1.0 is written as 1.
//
// A set of n texts finds duplicates in n steps; comparing every pair of values would take n².

import { isJsonArray, isJsonObject, type Json } from "@segno/kernel";

import type { SchemaFuel } from "./schema-fuel.ts";

/** Caches the texts of one check. */
export class CanonicalTexts {
  readonly #fuel: SchemaFuel;
  readonly #known = new Map<object, string>();

  constructor(fuel: SchemaFuel) {
    this.#fuel = fuel;
  }

  of(value: Json): string {
    if (typeof value !== "object" || value === null) return canonicalText(value);
    let text = this.#known.get(value);
    if (text === undefined) this.#known.set(value, (text = canonicalText(value)));
    this.#fuel.text(text.length);
    return text;
  }
}

export function canonicalText(value: Json): string {
  if (isJsonArray(value)) return `[${value.map((item) => canonicalText(item)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key]!)}`);
  return `{${entries.join(",")}}`;
}

// A value as a text that is the same for equal values and for no others: keys sorted, numbers by their value (1.0 is 1).
//
// Comparing each of n values with each other one takes n² comparisons; n texts in a set take n.

import { isJsonArray, isJsonObject, type Json } from "@segno/kernel";

import type { SchemaFuel } from "./schema-fuel.ts";

/** Texts of one check, each made once. */
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

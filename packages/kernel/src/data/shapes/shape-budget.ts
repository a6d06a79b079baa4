// The budget of the checks of all expressions of one document.
//
//   SB-1. One expression visits at most `EXPRESSION_PARTS` parts of schemas, and all expressions of a document at most
//         `DOCUMENT_PARTS` and a few for each of them. So the time is in proportion to the document. Parts of a combined shape
//         count as well, each time: cached answers that have two parts each double with every field of a path, and variables that
//         are named twice do so too.
//   SB-2. The answer of a schema for a name is computed once. An answer that was cut short is not cached.
//   SB-3. When nothing is left, nothing is known, so nothing is reported: an omitted check is never wrong.

import type { JsonObject } from "../../model/json.ts";
import type { JsonSchema } from "../../model/definition.ts";
import type { ShapeLookup, Shape } from "./shape.ts";

/** The fuel of one expression. */
export interface ShapeFuel {
  /** How many parts of schemas may still be visited. */
  left: number;
  readonly memory: ShapeMemory;
}

/** Pays for visiting the parts of a combined shape; false if not enough is left, and then nothing is known. */
export function tryPay(parts: readonly Shape[], fuel: ShapeFuel): boolean {
  fuel.left = Math.max(0, fuel.left - parts.length);
  return fuel.left > 0;
}

const EXPRESSION_PARTS = 1000;
const DOCUMENT_PARTS = 100_000;
const PARTS_PER_EXPRESSION = 5;
const REPORTS_MAX = 100;

export class ShapeBudget {
  /** How many problems of expressions may still be reported. */
  reports: number = REPORTS_MAX;
  readonly #memory = new ShapeMemory();
  #left = DOCUMENT_PARTS;

  /** Gives one expression its fuel and takes back the rest. */
  spend<Found>(check: (fuel: ShapeFuel) => Found): Found {
    this.#left += PARTS_PER_EXPRESSION;
    const given = Math.min(EXPRESSION_PARTS, this.#left);
    const fuel: ShapeFuel = { left: given, memory: this.#memory };
    const result = check(fuel);
    this.#left -= given - Math.max(0, fuel.left);
    return result;
  }
}

/** The cache of one document: the answers of schemas for names, and the targets of references. */
class ShapeMemory {
  readonly #lookups = new Map<JsonSchema, Map<JsonObject, Map<string, ShapeLookup>>>();
  readonly #references = new Map<JsonSchema, Map<string, JsonSchema | undefined>>();

  lookup(root: JsonSchema, schema: JsonObject, name: string): ShapeLookup | undefined {
    return this.#lookups.get(root)?.get(schema)?.get(name);
  }

  keepLookup(root: JsonSchema, schema: JsonObject, name: string, lookup: ShapeLookup): void {
    entry(entry(this.#lookups, root), schema).set(name, lookup);
  }

  /** `resolve` is called once for each reference. */
  reference(root: JsonSchema, reference: string, resolve: () => JsonSchema | undefined): JsonSchema | undefined {
    const known = entry(this.#references, root);
    if (!known.has(reference)) known.set(reference, resolve());
    return known.get(reference);
  }
}

function entry<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  const inner = map.get(key) ?? new Map<InnerKey, Value>();
  map.set(key, inner);
  return inner;
}

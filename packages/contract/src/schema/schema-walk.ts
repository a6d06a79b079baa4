// Walks through the schemas inside of a user's schema. `const`, `enum`, `default` and `examples` hold data, so the walk does not
// enter them even if a value there looks like a schema.

import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from "@segno/kernel";

const ONE = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const LIST = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const MAP = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]);

export interface SubSchema {
  readonly schema: JsonObject;
  readonly path: JsonPath;
}

/** Yields the schema itself and every schema in it, in the order in which they are written. The document bounds the depth. */
export function* subSchemas(schema: Json, path: JsonPath = []): Generator<SubSchema> {
  if (!isJsonObject(schema)) return;
  yield { schema, path };
  for (const [keyword, value] of Object.entries(schema)) {
    const at = [...path, keyword];
    if (ONE.has(keyword) && isJsonObject(value)) yield* subSchemas(value, at);
    else if (LIST.has(keyword) && isJsonArray(value))
      for (const [index, item] of value.entries()) yield* subSchemas(item, [...at, index]);
    else if (MAP.has(keyword) && isJsonObject(value))
      for (const [key, item] of Object.entries(value)) yield* subSchemas(item, [...at, key]);
  }
}

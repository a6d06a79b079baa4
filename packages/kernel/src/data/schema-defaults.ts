// The defaults of a JSON Schema: `default` replaces a property that is missing (DATA-12).
//
//   D1. Defaults are taken where the schema certainly applies to the value: in `properties`, `additionalProperties`, `items` and
//       `prefixItems`, through `allOf` and references to `#/…`. Alternatives (`anyOf`, `if` and the like) give none, because the value
//       decides later which of them applies.
//   D2. A default can have missing properties of its own, which get their defaults too. A property without a default stays missing,
//       even if its own properties have defaults.
//   D3. At the top, null counts as missing, because a start without an input has the input null.
//   D4. Visits, nesting and the bytes of inserted defaults are bounded, so a schema whose defaults have no end is a failure.
//   D5. The given value is not changed; parts without a default in them are shared.

import type { JsonSchema } from "../model/definition.ts";
import {
  isForbiddenKey,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
} from "../model/json.ts";
import { VALUE_BYTES_MAX } from "../model/value.ts";
import { jsonSize } from "./jmespath/json-size.ts";
import { JSON_DEPTH_MAX } from "./json-check.ts";
import { isSchema, localReference } from "./shapes/local-reference.ts";

export type DefaultsResult =
  | { readonly kind: "filled"; readonly value: Json }
  | { readonly kind: "endless"; readonly message: string };

const VISITS_MAX = 5_000_000;
/** The levels of recursion: those of the value, and the references between two of them. */
const LEVELS_MAX = 1000;

/** The value with the defaults of the schema. */
export function withDefaults(schema: JsonSchema, value: Json): DefaultsResult {
  return mentionsDefault(schema) ? new SchemaDefaults(schema).fill(schema, value) : { kind: "filled", value };
}

/** Never leaves this file. */
class EndlessDefaults extends Error {}

/** A property may have this name too; then the schema is walked in vain. */
function mentionsDefault(schema: Json): boolean {
  if (isJsonArray(schema)) return schema.some(mentionsDefault);
  if (!isJsonObject(schema)) return false;
  return Object.hasOwn(schema, "default") || Object.values(schema).some(mentionsDefault);
}

/** The defaults of one schema. All values that are filled share one budget. */
export class SchemaDefaults {
  readonly #root: JsonSchema;
  #visits = 0;
  #bytes = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** The value with the defaults of a part of the schema. */
  fill(part: JsonSchema, value: Json): DefaultsResult {
    try {
      return { kind: "filled", value: this.#fillTop(part, value) };
    } catch (error) {
      if (error instanceof EndlessDefaults) return { kind: "endless", message: error.message };
      throw error;
    }
  }

  #fillTop(schema: JsonSchema, value: Json): Json {
    if (value !== null) return this.#fill(schema, value, 0, 0);
    const own = this.#defaultOf(schema, 0);
    if (own !== undefined) return this.#insert(schema, own, 0, 0);
    if (typeof schema === "boolean" || schema["type"] !== "object") return null;
    const filled = this.#fill(schema, {}, 0, 0);
    return isJsonObject(filled) && Object.keys(filled).length > 0 ? filled : null;
  }

  #fill(schema: Json | undefined, value: Json, depth: number, level: number): Json {
    if (!isJsonObject(schema) || typeof value !== "object" || value === null) return value;
    this.#count(depth, level);
    let filled: Json = value;
    for (const part of this.#sameValueParts(schema)) filled = this.#fill(part, filled, depth, level + 1);
    return isJsonArray(filled)
      ? this.#fillItems(schema, filled, depth, level)
      : this.#fillProperties(schema, filled as JsonObject, depth, level);
  }

  #fillProperties(schema: JsonObject, object: JsonObject, depth: number, level: number): Json {
    const changed: Record<string, Json> = {};
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    for (const [key, property] of Object.entries(properties)) {
      if (!isSchema(property) || isForbiddenKey(key)) continue;
      const given = Object.hasOwn(object, key) ? object[key] : undefined;
      const value =
        given === undefined ? this.#default(property, depth, level) : this.#fill(property, given, depth + 1, level + 1);
      if (value !== undefined && value !== given) changed[key] = value;
    }
    const additional = schema["additionalProperties"];
    if (isJsonObject(additional)) {
      for (const [key, given] of Object.entries(object)) {
        if (Object.hasOwn(properties, key)) continue;
        const value = this.#fill(additional, given, depth + 1, level + 1);
        if (value !== given) changed[key] = value;
      }
    }
    return Object.keys(changed).length === 0 ? object : { ...object, ...changed };
  }

  #fillItems(schema: JsonObject, items: JsonArray, depth: number, level: number): Json {
    const { items: each } = schema;
    const [first, rest] = isJsonArray(each) ? [each, schema["additionalItems"]] : [schema["prefixItems"], each];
    const prefix = isJsonArray(first) ? first : [];
    const filled = items.map((item, index) =>
      this.#fill(index < prefix.length ? prefix[index] : rest, item, depth + 1, level + 1),
    );
    return filled.some((item, index) => item !== items[index]) ? filled : items;
  }

  #default(schema: JsonSchema, depth: number, level: number): Json | undefined {
    const own = this.#defaultOf(schema, level);
    return own === undefined ? undefined : this.#insert(schema, own, depth + 1, level + 1);
  }

  #insert(schema: JsonSchema, value: Json, depth: number, level: number): Json {
    this.#bytes += jsonSize(value, VALUE_BYTES_MAX);
    if (this.#bytes > VALUE_BYTES_MAX)
      throw new EndlessDefaults(`the defaults of the schema have more than ${VALUE_BYTES_MAX} bytes`);
    this.#count(depth, level);
    return this.#fill(schema, value, depth, level);
  }

  /** The default that stands in the schema itself, otherwise that of a part for the same value. */
  #defaultOf(schema: Json | undefined, level: number): Json | undefined {
    if (!isJsonObject(schema)) return undefined;
    this.#count(0, level);
    if (schema["default"] !== undefined) return schema["default"];
    for (const part of this.#sameValueParts(schema)) {
      const found = this.#defaultOf(part, level + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #sameValueParts(schema: JsonObject): readonly Json[] {
    const { $ref: reference, allOf } = schema;
    const referred = typeof reference === "string" ? localReference(reference, this.#root) : undefined;
    return [...(referred === undefined ? [] : [referred]), ...(isJsonArray(allOf) ? allOf : [])];
  }

  #count(depth: number, level: number): void {
    this.#visits += 1;
    if (depth > JSON_DEPTH_MAX || level > LEVELS_MAX || this.#visits > VISITS_MAX)
      throw new EndlessDefaults("the defaults of the schema nest too deep, or have no end");
  }
}

// The parts of a JSON Schema that apply to one and the same value.
//
//   SP-1. Every part that is looked at costs fuel. When it is used up, nothing is known, so a hostile schema of doubling
//         references costs no more than the fuel.
//   SP-2. What is not understood makes the answer weaker, never wrong: a reference that is not local is unknown.

import type { JsonSchema } from "../../model/definition.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** How many parts of schemas one question may look at. */
export interface ShapeFuel {
  left: number;
}

export const SHAPE_FUEL = 1000;

/** One level of a schema: its own keywords, what has to hold beside them, and alternatives of which one holds. */
export interface SchemaParts {
  readonly own: JsonObject;
  readonly all: readonly JsonSchema[];
  readonly alternatives: readonly (readonly JsonSchema[])[];
  /** Whether some part could not be found, so that it may say anything. */
  readonly isPartial: boolean;
}

const NOTHING: SchemaParts = Object.freeze({ own: {}, all: [], alternatives: [], isPartial: true });

export function schemaParts(schema: JsonObject, root: JsonSchema, fuel: ShapeFuel): SchemaParts {
  fuel.left -= 1;
  if (fuel.left < countOf(schema["allOf"]) + countOf(schema["anyOf"]) + countOf(schema["oneOf"])) return NOTHING;
  const reference = schema["$ref"];
  const referred = reference === undefined ? undefined : resolve(reference, root, fuel);
  const isPartial = (reference !== undefined && referred === undefined) || schema["$dynamicRef"] !== undefined;
  // In draft-07 nothing beside a reference counts.
  if (reference !== undefined && isDraft07(root))
    return { own: {}, all: referred === undefined ? [] : [referred], alternatives: [], isPartial };
  const all = [...(referred === undefined ? [] : [referred]), ...schemasIn(schema["allOf"])];
  const alternatives = [schemasIn(schema["anyOf"]), schemasIn(schema["oneOf"])].filter(({ length }) => length > 0);
  return { own: schema, all, alternatives, isPartial };
}

function countOf(value: Json | undefined): number {
  return isJsonArray(value) ? value.length : 0;
}

function schemasIn(value: Json | undefined): readonly JsonSchema[] {
  return isJsonArray(value) ? value.filter(isSchema) : [];
}

export function isSchema(value: Json | undefined): value is JsonSchema {
  return typeof value === "boolean" || isJsonObject(value);
}

function isDraft07(root: JsonSchema): boolean {
  const dialect = typeof root === "boolean" ? undefined : root["$schema"];
  return typeof dialect === "string" && dialect.includes("draft-07");
}

/** `#` and `#/a/b`; anything else is not resolved. */
function resolve(reference: Json, root: JsonSchema, fuel: ShapeFuel): JsonSchema | undefined {
  if (typeof reference !== "string" || !/^#(?:\/|$)/u.test(reference)) return undefined;
  let current: Json | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    fuel.left -= 1;
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (isJsonArray(current)) current = current[Number(key)];
    else current = isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return isSchema(current) ? current : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

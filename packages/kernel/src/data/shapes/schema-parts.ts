// The parts of a JSON Schema that apply to the same value.
//
//   SP-1. Every part that is visited costs fuel. When it is used up, nothing is known, so a hostile schema of doubling references
//         costs no more than the fuel.
//   SP-2. Keywords beside a reference apply as well, in draft-07 too: values are checked in the same way.
//   SP-3. Unsupported parts make the answer weaker, never wrong: a reference that is not local is unknown.

import type { JsonSchema } from "../../model/definition.ts";
import { isJsonArray, type Json, type JsonObject } from "../../model/json.ts";
import { isSchema, localReference } from "./local-reference.ts";
import type { ShapeFuel } from "./shape-budget.ts";

/** One level of a schema: its own keywords, further schemas that must hold too, and alternatives of which one holds. */
export interface SchemaParts {
  readonly own: JsonObject;
  readonly all: readonly JsonSchema[];
  readonly alternatives: readonly (readonly JsonSchema[])[];
  /** Whether some part could not be resolved, so that nothing is known about it. */
  readonly isPartial: boolean;
}

const NOTHING: SchemaParts = Object.freeze({ own: {}, all: [], alternatives: [], isPartial: true });

export function schemaParts(schema: JsonObject, root: JsonSchema, fuel: ShapeFuel): SchemaParts {
  fuel.left -= 1;
  if (fuel.left < arrayLength(schema["allOf"]) + arrayLength(schema["anyOf"]) + arrayLength(schema["oneOf"])) {
    fuel.left = 0;
    return NOTHING;
  }
  const reference = schema["$ref"];
  const referred = reference === undefined ? undefined : resolve(reference, root, fuel);
  const isPartial = (reference !== undefined && referred === undefined) || schema["$dynamicRef"] !== undefined;
  const all = [...(referred === undefined ? [] : [referred]), ...schemasIn(schema["allOf"])];
  const alternatives = [schemasIn(schema["anyOf"]), schemasIn(schema["oneOf"])].filter(({ length }) => length > 0);
  return { own: schema, all, alternatives, isPartial };
}

function arrayLength(value: Json | undefined): number {
  return isJsonArray(value) ? value.length : 0;
}

function schemasIn(value: Json | undefined): readonly JsonSchema[] {
  return isJsonArray(value) ? value.filter(isSchema) : [];
}

function resolve(reference: Json, root: JsonSchema, { memory }: ShapeFuel): JsonSchema | undefined {
  if (typeof reference !== "string") return undefined;
  return memory.reference(root, reference, () => localReference(reference, root));
}

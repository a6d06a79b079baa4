// Finds schemas that would recurse for ever: references that lead back to themselves without going into a part of the value.
//
// `{ items: { $ref: "#" } }` ends with the value. `{ allOf: [{ $ref: "#" }] }` does not, and would overflow the stack of the
// compiler or of the validator. The walk here is iterative.

import { isJsonArray, isJsonObject, type JsonObject, type JsonPath } from "@segno/kernel";

import { ReferenceTargets } from "./reference-targets.ts";
import { subSchemas } from "./schema-walk.ts";

const REFERENCES = ["$ref", "$dynamicRef"] as const;
/** Keywords whose schemas apply to the same value. */
const SAME_VALUE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"] as const;

/** Returns the path of a reference that leads back to itself, or nothing if every reference ends. */
export function endlessReference(root: JsonObject, targets: ReferenceTargets): JsonPath | undefined {
  const isDone = new Set<JsonObject>();
  for (const { schema, path } of subSchemas(root)) {
    if (isDone.has(schema) || !REFERENCES.some((keyword) => schema[keyword] !== undefined)) continue;
    if (hasCycle(schema, targets, isDone)) return path;
  }
  return undefined;
}

/** Depth first, with a colour for schemas on the current path and one for finished schemas. */
function hasCycle(start: JsonObject, targets: ReferenceTargets, isDone: Set<JsonObject>): boolean {
  const visiting = new Set<JsonObject>([start]);
  const open = [{ schema: start, next: sameInstanceSchemas(start, targets) }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const target = top.next.pop();
    if (target === undefined) {
      visiting.delete(top.schema);
      isDone.add(top.schema);
      open.pop();
    } else if (visiting.has(target)) {
      return true;
    } else if (!isDone.has(target)) {
      visiting.add(target);
      open.push({ schema: target, next: sameInstanceSchemas(target, targets) });
    }
  }
  return false;
}

/** The schemas that apply to the same value as this one. */
function sameInstanceSchemas(schema: JsonObject, targets: ReferenceTargets): JsonObject[] {
  const referred = REFERENCES.map((keyword) => targets.resolve(schema[keyword]));
  const applied = SAME_VALUE.map((keyword) => schema[keyword]);
  const dependent = ["dependentSchemas", "dependencies"].flatMap((keyword) => {
    const schemas = schema[keyword];
    return isJsonObject(schemas) ? Object.values(schemas) : [];
  });
  const lists = applied.filter((value) => isJsonArray(value)).flat();
  return [...referred, ...applied, ...lists, ...dependent].filter((each) => isJsonObject(each));
}

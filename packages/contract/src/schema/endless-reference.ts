// Schemas that would never come to an end: references that lead back without looking at a smaller part of the value.
//
// `{ items: { $ref: "#" } }` ends with the value. `{ allOf: [{ $ref: "#" }] }` does not, and would overflow the stack
// of the compiler or of the validator. Found here by walking, with a stack of its own.

import { isJsonArray, isJsonObject, type JsonObject, type JsonPath } from "@segno/kernel";

import { ReferenceTargets } from "./reference-targets.ts";
import { subSchemas } from "./schema-walk.ts";

const REFERENCES = ["$ref", "$dynamicRef"] as const;
/** Keywords whose schemas judge the same value. */
const SAME_VALUE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"] as const;

/** The place of a reference that leads back to itself; nothing when every one of them ends. */
export function endlessReference(root: JsonObject, targets: ReferenceTargets): JsonPath | undefined {
  const isDone = new Set<JsonObject>();
  for (const { schema, path } of subSchemas(root)) {
    if (isDone.has(schema) || !REFERENCES.some((keyword) => schema[keyword] !== undefined)) continue;
    if (leadsBack(schema, targets, isDone)) return path;
  }
  return undefined;
}

/** Depth first, colouring what is on the way and what is done. */
function leadsBack(start: JsonObject, targets: ReferenceTargets, isDone: Set<JsonObject>): boolean {
  const onTheWay = new Set<JsonObject>([start]);
  const open = [{ schema: start, next: besides(start, targets) }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const target = top.next.pop();
    if (target === undefined) {
      onTheWay.delete(top.schema);
      isDone.add(top.schema);
      open.pop();
    } else if (onTheWay.has(target)) {
      return true;
    } else if (!isDone.has(target)) {
      onTheWay.add(target);
      open.push({ schema: target, next: besides(target, targets) });
    }
  }
  return false;
}

/** The schemas that judge the same value as this one. */
function besides(schema: JsonObject, targets: ReferenceTargets): JsonObject[] {
  const referred = REFERENCES.map((keyword) => targets.resolve(schema[keyword]));
  const applied = SAME_VALUE.map((keyword) => schema[keyword]);
  const dependent = ["dependentSchemas", "dependencies"].flatMap((keyword) => {
    const schemas = schema[keyword];
    return isJsonObject(schemas) ? Object.values(schemas) : [];
  });
  const lists = applied.filter((value) => isJsonArray(value)).flat();
  return [...referred, ...applied, ...lists, ...dependent].filter((each) => isJsonObject(each));
}

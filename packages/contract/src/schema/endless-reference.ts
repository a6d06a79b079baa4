// Schemas that would never come to an end: references that lead back without looking at a smaller part of the value.
//
// `{ items: { $ref: "#" } }` ends with the value. `{ allOf: [{ $ref: "#" }] }` does not, and would overflow the stack
// of the compiler or of the validator. Found here by walking, with a stack of its own.

import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from "@segno/kernel";

import { pointerPath } from "./json-pointer.ts";
import { valueAt } from "../value-at.ts";
import { subSchemas } from "./schema-walk.ts";

const REFERENCES = ["$ref", "$dynamicRef"] as const;
/** Keywords whose schemas judge the same value. */
const SAME_VALUE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"] as const;

/** The place of a reference that leads back to itself; nothing when every one of them ends. */
export function endlessReference(root: JsonObject): JsonPath | undefined {
  const targets = new ReferenceTargets(root);
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
  const open = [{ schema: start, next: targets.of(start) }];
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
      open.push({ schema: target, next: targets.of(target) });
    }
  }
  return false;
}

class ReferenceTargets {
  readonly #root: JsonObject;
  readonly #anchors = new Map<string, JsonObject>();

  constructor(root: JsonObject) {
    this.#root = root;
    for (const { schema } of subSchemas(root)) {
      for (const keyword of ["$anchor", "$dynamicAnchor"])
        if (typeof schema[keyword] === "string") this.#anchors.set(schema[keyword], schema);
    }
  }

  /** The schemas that judge the same value as this one. */
  of(schema: JsonObject): JsonObject[] {
    const referred = REFERENCES.map((keyword) => this.#resolve(schema[keyword]));
    const applied = SAME_VALUE.map((keyword) => schema[keyword]);
    const dependent = isJsonObject(schema["dependentSchemas"]) ? Object.values(schema["dependentSchemas"]) : [];
    const lists = applied.filter((value) => isJsonArray(value)).flat();
    return [...referred, ...applied, ...lists, ...dependent].filter((each) => isJsonObject(each));
  }

  #resolve(reference: Json | undefined): Json | undefined {
    if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
    const fragment = decoded(reference.slice(1));
    if (fragment === "") return this.#root;
    return fragment.startsWith("/")
      ? valueAt(this.#root, pointerPath(fragment, this.#root))
      : this.#anchors.get(fragment);
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

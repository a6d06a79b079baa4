// Resolves the references of a schema, which point into the schema itself.

import { isJsonObject, type Json, type JsonObject } from "@segno/kernel";

import { valueAt } from "../json/value-at.ts";
import { pointerPath } from "./json-pointer.ts";
import { subSchemas } from "./schema-walk.ts";

export class ReferenceTargets {
  readonly #root: JsonObject;
  readonly #known = new Map<string, Json | undefined>();
  #anchors: ReadonlyMap<string, JsonObject> | undefined;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Returns the schema, or nothing if the reference does not lead to one. */
  resolve(reference: Json | undefined): JsonObject | boolean | undefined {
    if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
    if (!this.#known.has(reference)) this.#known.set(reference, this.#find(decodeFragment(reference.slice(1))));
    const target = this.#known.get(reference);
    return isJsonObject(target) || typeof target === "boolean" ? target : undefined;
  }

  #find(fragment: string): Json | undefined {
    if (fragment === "") return this.#root;
    if (fragment.startsWith("/")) return valueAt(this.#root, pointerPath(fragment, this.#root));
    this.#anchors ??= anchorsIn(this.#root);
    return this.#anchors.get(fragment);
  }
}

function anchorsIn(root: JsonObject): ReadonlyMap<string, JsonObject> {
  const anchors = new Map<string, JsonObject>();
  for (const { schema } of subSchemas(root)) {
    for (const keyword of ["$anchor", "$dynamicAnchor"])
      if (typeof schema[keyword] === "string") anchors.set(schema[keyword], schema);
  }
  return anchors;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

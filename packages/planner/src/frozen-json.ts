// Frozen JSON
//
// Job: a deeply frozen copy of a value of JSON that somebody gave, or the first place, in reading order, that is not JSON
// (PLAN-7).
//
//   J1. What was given is neither frozen nor changed; it is read once, so that what a getter or a proxy says later does not
//       count.
//   J2. Whatever a getter or a proxy throws is a finding at its path, never an exception.
//   J3. A symbol as a key, and `__proto__` as one, are no JSON that could be copied faithfully, and are refused. A property
//       that is not enumerable is not part of a value's JSON and is left out.
//   J4. It recurses at most as deep as the kernel lets JSON be.

import { checkJson, JSON_DEPTH_MAX, type Json, type JsonPath } from "@segno/kernel";
import { thrownText } from "./thrown-text.ts";

export type JsonCopy =
  | { readonly kind: "json"; readonly json: Json }
  | { readonly kind: "not-json"; readonly path: JsonPath; readonly found: string };

export function frozenJson(value: unknown): JsonCopy {
  const path: (string | number)[] = [];
  try {
    return { kind: "json", json: copyOf(value, path) };
  } catch (error) {
    const found = error instanceof Found ? error.found : `a value that cannot be read (${thrownText(error)})`;
    return { kind: "not-json", path, found };
  }
}

/** Thrown and caught in this file only: the way out of a recursion, which leaves `path` where it was. */
class Found extends Error {
  readonly found: string;

  constructor(found: string) {
    super(found);
    this.found = found;
  }
}

function copyOf(value: unknown, path: (string | number)[]): Json {
  if (typeof value !== "object" || value === null) return checkedScalar(value);
  if (path.length > JSON_DEPTH_MAX) throw new Found(`a value deeper than ${JSON_DEPTH_MAX} levels, or a cycle`);
  if (Array.isArray(value)) return copyOfList(value, path);
  if (!isPlain(value)) throw new Found(kernelSays(value));
  return copyOfObject(value as Readonly<Record<string, unknown>>, path);
}

function copyOfList(list: readonly unknown[], path: (string | number)[]): Json {
  const copy: Json[] = [];
  for (let index = 0; index < list.length; index++) {
    path.push(index);
    copy.push(copyOf(list[index], path));
    path.pop();
  }
  return Object.freeze(copy);
}

function copyOfObject(object: Readonly<Record<string, unknown>>, path: (string | number)[]): Json {
  const copy: Record<string, Json> = {};
  for (const key of Reflect.ownKeys(object)) {
    if (typeof key === "symbol") throw new Found("a symbol as a key");
    if (!Object.prototype.propertyIsEnumerable.call(object, key)) continue;
    path.push(key);
    if (key === "__proto__") throw new Found("a key that would reach a prototype");
    copy[key] = copyOf(object[key], path);
    path.pop();
  }
  return Object.freeze(copy);
}

function checkedScalar(value: unknown): Json {
  // The kernel's check takes nothing at the top for null, as a step's output; inside a value it is not JSON.
  if (value === undefined) throw new Found("undefined");
  const checked = checkJson(value);
  if (checked.kind === "too-large") throw new Found("more text than a value may have");
  if (checked.kind === "not-json") throw new Found(checked.found);
  return checked.json;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function kernelSays(value: object): string {
  const checked = checkJson(value);
  return checked.kind === "not-json" ? checked.found : "an instance of a class";
}

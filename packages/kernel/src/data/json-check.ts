// JSON check: whether a value that user code returned is JSON, and if not, where (DATA-8).
//
// Iterative, because what user code returns may be as deep as it likes.

import { formatJsonPath, type Json, type JsonPath } from "../model/json.ts";

export type JsonCheck =
  | { readonly kind: "json"; readonly json: Json }
  | { readonly kind: "not-json"; readonly path: string; readonly found: string };

/** Deeper values are refused: the next reader may recurse. */
export const JSON_DEPTH_MAX = 64;

interface Visit {
  readonly value: unknown;
  readonly path: JsonPath;
}

/** `undefined` at the top counts as null, since a function without a return value is a fair step. */
export function checkJson(value: unknown): JsonCheck {
  if (value === undefined) return { kind: "json", json: null };
  const stack: Visit[] = [{ value, path: [] }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const found = troubleWith(visit);
    if (found !== undefined) return { kind: "not-json", path: formatJsonPath(visit.path), found };
    if (typeof visit.value === "object" && visit.value !== null) pushChildren(stack, visit.value, visit.path);
  }
  return { kind: "json", json: value as Json };
}

function pushChildren(stack: Visit[], value: object, path: JsonPath): void {
  // Pushed last to first, so that the first trouble in reading order is the one that is reported.
  if (Array.isArray(value)) {
    for (let index = value.length - 1; index >= 0; index--) stack.push({ value: value[index], path: [...path, index] });
  } else {
    for (const key of Object.keys(value).toReversed())
      stack.push({ value: (value as Record<string, unknown>)[key], path: [...path, key] });
  }
}

/** Half a character is no text that others could read, or of which a token could be made (IDEM-4). */
function troubleWith({ value, path }: Visit): string | undefined {
  const key = path.at(-1);
  if (typeof key === "string" && !key.isWellFormed()) return "a key with half of a surrogate pair";
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : "text with half of a surrogate pair";
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "object":
      if (path.length > JSON_DEPTH_MAX) return `a value deeper than ${JSON_DEPTH_MAX} levels, or a cycle`;
      return value === null || Array.isArray(value) || isPlain(value)
        ? undefined
        : `an instance of ${className(value)}`;
    case "undefined":
    case "bigint":
    case "function":
    case "symbol":
      return typeof value === "undefined" ? "undefined" : `a ${typeof value}`;
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function className(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "" ? name : "a class";
}

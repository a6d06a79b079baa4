// Capture: writes a step's output to a path under `variables` by `replace`, `merge` or `append` (DATA-3).
//
//   C1. Nothing is changed in place, so variables that another step holds stay unchanged.
//   C2. A write that would change a read-only path is refused, also if it writes to an ancestor of that path (DATA-4).

import type { MergeMode } from "../model/definition.ts";
import type { Failure } from "../model/failure.ts";
import { isForbiddenKey, isJsonArray, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { isWithin, type VariablePath } from "./variable-path.ts";
import { describeKind } from "./describe-value.ts";

export interface Write {
  readonly path: VariablePath;
  readonly merge: MergeMode;
  readonly value: Json;
}

export type Captured =
  | { readonly kind: "variables"; readonly variables: Json }
  | { readonly kind: "failure"; readonly failure: Failure };

export function capture(variables: Json, write: Write, readOnly: readonly VariablePath[] = []): Captured {
  const current = read(variables, write.path);
  const combined = combine(current, write);
  if (combined.kind === "failure") return combined;
  const touched = readOnly.find((path) => changesPath(current, combined.value, write.path, path));
  if (touched !== undefined) return failure("VARIABLE_READ_ONLY", `\`variables.${touched.join(".")}\` is read-only`);
  return { kind: "variables", variables: replaceAt(variables, write.path, combined.value) };
}

type Combined =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "failure"; readonly failure: Failure };

function combine(current: Json | undefined, write: Write): Combined {
  const target = `\`variables.${write.path.join(".")}\``;
  switch (write.merge) {
    case "replace":
      return { kind: "value", value: write.value };
    case "append":
      if (current === undefined || current === null) return { kind: "value", value: [write.value] };
      if (!isJsonArray(current))
        return failure("CAPTURE_NOT_A_LIST", `${target} is ${describeKind(current)}, so nothing can be appended`);
      return { kind: "value", value: [...current, write.value] };
    case "merge":
      if (!isJsonObject(write.value))
        return failure(
          "CAPTURE_NOT_AN_OBJECT",
          `the output is ${describeKind(write.value)}, so it cannot be merged into ${target}`,
        );
      if (current === undefined || current === null) return { kind: "value", value: write.value };
      if (!isJsonObject(current))
        return failure(
          "CAPTURE_NOT_AN_OBJECT",
          `${target} is ${describeKind(current)}, so nothing can be merged into it`,
        );
      return { kind: "value", value: mergeObjects(current, write.value) };
  }
}

function failure(code: string, message: string): { readonly kind: "failure"; readonly failure: Failure } {
  return { kind: "failure", failure: { class: "permanent", code, message } };
}

/** Merges objects deeply and replaces any other value. Recursion is safe: JSON in an execution is at most 64 levels deep. */
export function mergeObjects(base: JsonObject, addition: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...base };
  for (const [key, value] of Object.entries(addition)) {
    if (isForbiddenKey(key)) continue;
    const existing = Object.hasOwn(base, key) ? base[key] : undefined;
    merged[key] = isJsonObject(existing) && isJsonObject(value) ? mergeObjects(existing, value) : value;
  }
  return merged;
}

function read(value: Json, path: VariablePath): Json | undefined {
  let current: Json | undefined = value;
  for (const key of path) {
    if (!isJsonObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

function replaceAt(value: Json, path: VariablePath, replacement: Json, depth = 0): Json {
  if (depth === path.length) return replacement;
  const key = path[depth]!;
  const object = isJsonObject(value) ? value : {};
  const child = Object.hasOwn(object, key) ? object[key]! : null;
  return { ...object, [key]: replaceAt(child, path, replacement, depth + 1) };
}

/** Whether replacing `before` by `after` changes the value at a protected path. */
function changesPath(before: Json | undefined, after: Json, at: VariablePath, protectedPath: VariablePath): boolean {
  if (isWithin(at, protectedPath)) return true;
  if (!isWithin(protectedPath, at)) return false;
  const rest = protectedPath.slice(at.length);
  const was = before === undefined ? undefined : read(before, rest);
  return was !== read(after, rest);
}

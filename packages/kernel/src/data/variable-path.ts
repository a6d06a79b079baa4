// Paths under `variables`: the targets of captured outputs, and the read-only or private parts (DATA-3, DATA-4).

import { isForbiddenKey } from "../model/json.ts";

/** The keys below `variables`; empty for `variables` itself. */
export type VariablePath = readonly string[];

const SEGMENT = /^[A-Za-z_][A-Za-z0-9_-]*$/u;

/** `variables.a.b` gives `["a", "b"]`; undefined if the text is not such a path. */
export function parseVariablePath(text: string): VariablePath | undefined {
  const [root, ...keys] = text.split(".");
  if (root !== "variables") return undefined;
  return keys.every((key) => SEGMENT.test(key) && !isForbiddenKey(key)) ? keys : undefined;
}

/** Whether one path is an ancestor of the other or equal to it, so that writing one changes the value at the other. */
export function overlaps(a: VariablePath, b: VariablePath): boolean {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** Whether `path` is `ancestor` or below it. */
export function isWithin(path: VariablePath, ancestor: VariablePath): boolean {
  return path.length >= ancestor.length && overlaps(path, ancestor);
}

// Repairs small mistakes whose intention is clear, so that the checks that follow can find other problems. The mistake itself is
// reported, and the document is refused.

import { isJsonObject, type Json, type JsonPath, type Problem } from "@segno/kernel";

import { valueAt } from "../json/value-at.ts";

interface Repaired {
  readonly document: Json;
  /** The position of the first problem that is left. */
  readonly broken: readonly JsonPath[];
}

/** Matches one id, or several separated by commas. */
const IDS = /^[\w.-]+(?:\s*,\s*[\w.-]+)*$/u;

export function repairDocument(document: Json, problems: readonly Problem[]): Repaired {
  const repairable = new Set(problems.filter((problem) => isRepairable(document, problem)));
  if (repairable.size === 0) return { document, broken: problems.map(({ path }) => path) };
  const copy = structuredClone(document);
  for (const { path } of repairable) repairAt(copy, path);
  return { document: copy, broken: problems.filter((problem) => !repairable.has(problem)).map(({ path }) => path) };
}

/** Returns the items of a list that was written as text, or nothing if the text does not look like a list. */
export function listInText(value: Json | undefined): readonly string[] | undefined {
  return typeof value === "string" && IDS.test(value) ? value.split(",").map((item) => item.trim()) : undefined;
}

/** An unknown key without a suggestion is not a misspelt key, so the repair may remove it. */
function isRepairable(document: Json, { code, path, hint }: Problem): boolean {
  if (code === "KEY_PLANNED" || (code === "UNKNOWN_KEY" && hint === undefined)) return true;
  return code === "WRONG_TYPE" && path.at(-1) === "dependsOn" && listInText(valueAt(document, path)) !== undefined;
}

function repairAt(document: Json, path: JsonPath): void {
  const [parent, key] = [valueAt(document, path.slice(0, -1)), path.at(-1)];
  if (!isJsonObject(parent) || typeof key !== "string") return;
  const items = key === "dependsOn" ? listInText(parent[key]) : undefined;
  if (items === undefined) Reflect.deleteProperty(parent, key);
  else Reflect.set(parent, key, items);
}

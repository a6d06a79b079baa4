// The schemas that users wrote in a contract, checked where they stand.

import { isJsonArray, isJsonObject, type Json, type JsonPath } from "@segno/kernel";

import { schemaProblems } from "../schema/schema-problems.ts";
import type { DocumentProblems } from "./document-problems.ts";

export function schemaPlaceProblems(document: Json, problems: DocumentProblems): void {
  if (!isJsonObject(document)) return;
  checkAt(document["input"], ["input"], problems);
  checkSteps(document["steps"], ["steps"], problems);
}

function checkSteps(steps: Json | undefined, path: JsonPath, problems: DocumentProblems): void {
  if (!isJsonArray(steps)) return;
  for (const [index, step] of steps.entries()) {
    if (!isJsonObject(step)) continue;
    const at = [...path, index];
    const { output, wait, map } = step;
    checkAt(step["inputSchema"], [...at, "inputSchema"], problems);
    if (isJsonObject(output)) checkAt(output["schema"], [...at, "output", "schema"], problems);
    if (isJsonObject(wait)) checkAt(wait["schema"], [...at, "wait", "schema"], problems);
    if (isJsonObject(map)) checkSteps(map["steps"], [...at, "map", "steps"], problems);
  }
}

function checkAt(schema: Json | undefined, path: JsonPath, problems: DocumentProblems): void {
  if (!isJsonObject(schema)) return;
  for (const { code, path: inner, message, hint } of schemaProblems(schema)) {
    problems.add(code, [...path, ...inner], message, hint);
  }
}

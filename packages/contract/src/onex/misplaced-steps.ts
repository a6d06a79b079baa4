// Steps in the wrong place. Other unknown keys are ignored; these would be ignored too, and with them the whole workflow,
// so they are an error (CONTRACT-4). The graph's nodes are opaque and may hold what they like (CONTRACT-5).

import { isJsonArray, isJsonObject, type Json, type JsonPath } from "@segno/kernel";

import type { DocumentProblems } from "../check/document-problems.ts";

export const STEPS_PATH: JsonPath = ["workflow_coordination", "steps"];
const NODES_PATH: JsonPath = ["workflow_coordination", "workflow_definition", "execution_graph", "nodes"];

/** Other parts at the top belong to others: only a list of steps right there can have been meant for here. */
export function misplacedSteps(document: Json, problems: DocumentProblems): void {
  if (!isJsonObject(document)) return;
  if (isJsonArray(document["steps"])) report(["steps"], problems);
  search(document["workflow_coordination"], ["workflow_coordination"], problems);
}

/** As deep as the document, which is bounded. */
function search(value: Json | undefined, path: JsonPath, problems: DocumentProblems): void {
  if (isAt(path, NODES_PATH)) return;
  if (isJsonArray(value)) for (const [index, item] of value.entries()) search(item, [...path, index], problems);
  if (!isJsonObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const place = [...path, key];
    if (key === "steps" && isJsonArray(inner) && !isAt(place, STEPS_PATH)) report(place, problems);
    else search(inner, place, problems);
  }
}

function report(path: JsonPath, problems: DocumentProblems): void {
  const place = STEPS_PATH.join(".");
  problems.addAtKey(
    "UNKNOWN_KEY",
    path,
    `expected the steps at \`${place}\`, found a list of them here`,
    `move it to \`${place}\``,
  );
}

function isAt(path: JsonPath, place: JsonPath): boolean {
  return path.length === place.length && path.every((part, index) => part === place[index]);
}

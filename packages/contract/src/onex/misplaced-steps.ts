// Finds steps in the wrong place. Other unknown keys are ignored, but ignoring a list of steps would ignore the whole workflow, so
// it is an error (CONTRACT-4). The check covers the top level and the maps that every contract has. Reserved fields and keys of
// other readers may hold anything (ruling 57).

import { closest, isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from "@segno/kernel";

import type { DocumentProblems } from "../check/document-problems.ts";
import { valueAt } from "../json/value-at.ts";
import { ONEX_KEYS } from "./models/raw-onex.ts";

const COORDINATION: JsonPath = ["workflow_coordination"];
export const STEPS_PATH: JsonPath = [...COORDINATION, "steps"];

const DEFINITION: JsonPath = [...COORDINATION, "workflow_definition"];
/** The paths at which authors put a list of steps that the loader does not read. */
const WRONG_PLACES: readonly JsonPath[] = [
  [],
  DEFINITION,
  [...DEFINITION, "workflow_metadata"],
  [...DEFINITION, "execution_graph"],
  [...DEFINITION, "coordination_rules"],
];

export function misplacedSteps(document: Json, problems: DocumentProblems): void {
  for (const location of WRONG_PLACES) {
    const map = valueAt(document, location);
    if (isJsonObject(map) && isJsonArray(map["steps"])) report([...location, "steps"], problems);
  }
  misspeltSteps(valueAt(document, COORDINATION), problems);
}

/** Finds a list under a misspelt key in a document without steps: it would be ignored, and the workflow would do nothing. */
function misspeltSteps(coordination: Json | undefined, problems: DocumentProblems): void {
  if (!isJsonObject(coordination) || hasSteps(coordination)) return;
  const lists = Object.keys(coordination).filter((key) => !ONEX_KEYS.has(key) && isFilled(coordination[key]));
  const near = closest("steps", lists);
  if (near === undefined) return;
  const message = `expected the steps at \`${STEPS_PATH.join(".")}\`, found \`${near}\`, which is ignored`;
  problems.addAtKey("UNKNOWN_KEY", [...COORDINATION, near], message, "did you mean `steps`?");
}

function hasSteps({ steps }: JsonObject): boolean {
  return steps !== undefined && !(isJsonArray(steps) && steps.length === 0);
}

function isFilled(value: Json | undefined): boolean {
  return isJsonArray(value) && value.length > 0;
}

function report(path: JsonPath, problems: DocumentProblems): void {
  const location = STEPS_PATH.join(".");
  problems.addAtKey(
    "UNKNOWN_KEY",
    path,
    `expected the steps at \`${location}\`, found a list of them here`,
    `move it to \`${location}\``,
  );
}

// Steps in the wrong place. Other unknown keys are ignored; these would be ignored too, and with them the whole workflow,
// so they are an error (CONTRACT-4). That holds where a list of steps could be meant: at the top, and in the maps that every
// contract has. What is reserved, and what other readers put there, may hold what it likes (ruling 57).

import { closest, isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from "@segno/kernel";

import type { DocumentProblems } from "../check/document-problems.ts";
import { valueAt } from "../value-at.ts";
import { ONEX_KEYS } from "./models/onex-document.ts";

const COORDINATION: JsonPath = ["workflow_coordination"];
export const STEPS_PATH: JsonPath = [...COORDINATION, "steps"];

const DEFINITION: JsonPath = [...COORDINATION, "workflow_definition"];
/** The places in which authors put a list of steps that the loader does not read. */
const WRONG_PLACES: readonly JsonPath[] = [
  [],
  DEFINITION,
  [...DEFINITION, "workflow_metadata"],
  [...DEFINITION, "execution_graph"],
  [...DEFINITION, "coordination_rules"],
];

export function misplacedSteps(document: Json, problems: DocumentProblems): void {
  for (const place of WRONG_PLACES) {
    const map = valueAt(document, place);
    if (isJsonObject(map) && isJsonArray(map["steps"])) report([...place, "steps"], problems);
  }
  misspeltSteps(valueAt(document, COORDINATION), problems);
}

/** A list under nearly the right key, where there are no steps: it would be ignored, and the workflow would do nothing. */
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
  const place = STEPS_PATH.join(".");
  problems.addAtKey(
    "UNKNOWN_KEY",
    path,
    `expected the steps at \`${place}\`, found a list of them here`,
    `move it to \`${place}\``,
  );
}

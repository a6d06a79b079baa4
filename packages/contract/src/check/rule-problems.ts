// Checks that the models cannot express: rules between keys, and text that has to be parsed.
//
// The document may be invalid in any other way when these checks run, so they test every value before they use it. A value of the
// wrong type was reported by the models and is skipped here.

import { isJsonArray, isJsonObject, type Json, type JsonPath } from "@segno/kernel";

import type { DocumentProblems } from "./document-problems.ts";
import { stepRules } from "./step-rules.ts";

export function ruleProblems(document: Json, problems: DocumentProblems): void {
  if (!isJsonObject(document)) return;
  agentRules(document["agents"], problems);
  stepListRules(document["steps"], ["steps"], problems);
}

function stepListRules(steps: Json | undefined, path: JsonPath, problems: DocumentProblems): void {
  if (!isJsonArray(steps)) return;
  for (const [index, step] of steps.entries()) {
    if (!isJsonObject(step)) continue;
    stepRules(step, [...path, index], problems);
    // Recursion through nested maps is bounded by the depth limit of the document.
    if (isJsonObject(step["map"])) stepListRules(step["map"]["steps"], [...path, index, "map", "steps"], problems);
  }
}

/** An agent that code registers is a function: it has no export to name and cannot run on a thread. */
function agentRules(agents: Json | undefined, problems: DocumentProblems): void {
  if (!isJsonObject(agents)) return;
  for (const [name, agent] of Object.entries(agents)) {
    if (!isJsonObject(agent) || agent["module"] !== undefined) continue;
    for (const key of ["export", "thread"].filter((each) => agent[each] !== undefined && agent[each] !== false)) {
      problems.addAtKey("KEYS_CONFLICT", ["agents", name, key], `expected \`module\` beside \`${key}\`, found none`);
    }
  }
}

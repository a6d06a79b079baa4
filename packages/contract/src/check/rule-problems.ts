// What no single key can say: rules between keys, and text whose meaning has to be tried.
//
// The document may be broken in any other way when these run, so everything is looked at before it is used; what has
// the wrong type was reported already and is passed over here.

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
    // Maps inside maps: as deep as the document, which is bounded.
    if (isJsonObject(step["map"])) stepListRules(step["map"]["steps"], [...path, index, "map", "steps"], problems);
  }
}

/** A function that code registers is already there: it has no export to name and cannot move to a thread. */
function agentRules(agents: Json | undefined, problems: DocumentProblems): void {
  if (!isJsonObject(agents)) return;
  for (const [name, agent] of Object.entries(agents)) {
    if (!isJsonObject(agent) || agent["module"] !== undefined) continue;
    for (const key of ["export", "thread"].filter((each) => agent[each] !== undefined && agent[each] !== false)) {
      problems.addAtKey("KEYS_CONFLICT", ["agents", name, key], `expected \`module\` beside \`${key}\`, found none`);
    }
  }
}

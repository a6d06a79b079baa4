// Finds the problems of an ONEX document before it is converted to models.

import { closest, isJsonObject, type Json } from "@segno/kernel";

import { DocumentProblems, type DocumentProblem } from "../check/document-problems.ts";
import { ruleProblems } from "../check/rule-problems.ts";
import { shapeProblems } from "../check/shape-problems.ts";
import type { ReadDocument } from "../document/json-reader.ts";
import { attachPosition } from "../document/located-problems.ts";
import type { NodeProblem } from "../document/node-problem.ts";
import { isIncomplete, isUnderError } from "../document/source-map.ts";
import { valueAt } from "../json/value-at.ts";
import { misplacedSteps } from "./misplaced-steps.ts";
import { onexSchema, ONEX_KEYS } from "./models/raw-onex.ts";

export function onexProblems(document: ReadDocument): readonly NodeProblem[] {
  const problems = new DocumentProblems();
  shapeProblems(onexSchema, document.value, problems);
  misplacedSteps(document.value, problems);
  agentProblems(valueAt(document.value, ["segno", "agents"]), problems);
  return problems.all
    .filter((problem) => !isFollowUp(problem, document))
    .map((problem) => attachPosition(withSuggestion(problem, document.value), document, problem.target));
}

/** Applies the rules of the native contract, which has these keys one level higher. */
function agentProblems(agents: Json | undefined, problems: DocumentProblems): void {
  if (agents === undefined) return;
  const collector = new DocumentProblems();
  ruleProblems({ agents }, collector);
  for (const problem of collector.all) problems.all.push({ ...problem, path: ["segno", ...problem.path] });
}

/** Whether a problem is only a consequence: its value is inside a refused part, or its key was refused. */
function isFollowUp({ code, path, target }: DocumentProblem, { source }: ReadDocument): boolean {
  if (isUnderError(source, target === "key" ? path.slice(0, -1) : path)) return true;
  return code === "MISSING_KEY" && isIncomplete(source, path.slice(0, -1));
}

/** A missing key may be present under an unknown name (CONTRACT-3). */
function withSuggestion(problem: DocumentProblem, document: Json): DocumentProblem {
  const parent = problem.code === "MISSING_KEY" ? valueAt(document, problem.path.slice(0, -1)) : undefined;
  if (!isJsonObject(parent)) return problem;
  const near = closest(
    String(problem.path.at(-1)),
    Object.keys(parent).filter((key) => !ONEX_KEYS.has(key)),
  );
  return near === undefined ? problem : { ...problem, hint: `\`${near}\` is ignored; did you mean this key?` };
}

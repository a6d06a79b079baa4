// From what the planner finds to problems of the document: codes for its reasons, keys for its fields.

import type { KernelErrorCode, JsonPath, Problem } from "@segno/kernel";
import type { PlannerProblem } from "@segno/planner";

import { documentKey } from "./document-key.ts";
import { STEPS_PATH } from "./misplaced-steps.ts";

const DEFINITION_PATH: JsonPath = ["workflow_coordination", "workflow_definition"];

/** Reasons that a native contract has a code for. The others are the planner's own. */
const CODES: Readonly<Record<string, KernelErrorCode>> = {
  "duplicate-step": "DUPLICATE_STEP",
  "unknown-dependency": "UNKNOWN_DEPENDENCY",
  cycle: "DEPENDENCY_CYCLE",
};

export function problemFrom({ reason, path, message }: PlannerProblem): Problem {
  const code = Object.hasOwn(CODES, reason) ? CODES[reason]! : "VALIDATION_ERROR";
  return { code, path: documentPath(path), message };
}

/** From `steps[3].dependsOn[0]` to where its author wrote it. */
function documentPath(path: string): JsonPath {
  const parts = path.match(/\w+/gu) ?? [];
  const keys = parts.map((part) => (/^\d+$/u.test(part) ? Number(part) : documentKey(part)));
  return keys[0] === "steps" ? [...STEPS_PATH, ...keys.slice(1)] : [...DEFINITION_PATH, ...keys];
}

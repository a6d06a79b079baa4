// Converts the planner's problems into problems of the document: codes for reasons, keys for fields.

import type { KernelErrorCode, JsonPath, Problem } from "@segno/kernel";
import type { PlannerProblem } from "@segno/planner";

import { documentKey } from "./document-key.ts";
import { STEPS_PATH } from "./misplaced-steps.ts";

const DEFINITION_PATH: JsonPath = ["workflow_coordination", "workflow_definition"];

/** Reasons that have the same code as in a native contract. Other reasons have codes of their own. */
const CODES: Readonly<Record<string, KernelErrorCode>> = {
  "duplicate-step": "DUPLICATE_STEP",
  "unknown-dependency": "UNKNOWN_DEPENDENCY",
  cycle: "DEPENDENCY_CYCLE",
};

export function problemFrom({ reason, path, message }: PlannerProblem): Problem {
  const code = Object.hasOwn(CODES, reason) ? CODES[reason]! : "VALIDATION_ERROR";
  return { code, path: documentPath(path), message };
}

/** Converts a path such as `steps[3].dependsOn[0]` into the path in the document. */
function documentPath(path: string): JsonPath {
  const parts = path.match(/\w+/gu) ?? [];
  const keys = parts.map((part) => (/^\d+$/u.test(part) ? Number(part) : documentKey(part)));
  return keys[0] === "steps" ? [...STEPS_PATH, ...keys.slice(1)] : [...DEFINITION_PATH, ...keys];
}

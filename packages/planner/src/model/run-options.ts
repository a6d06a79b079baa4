// What may be said of a run of a workflow, beside what its definition says: for those who run what the planner plans.

import { integer } from "./check.ts";
import { readOptions } from "./options.ts";
import { readChoices, type PlanChoices } from "./plan-choices.ts";

export interface RunOptions extends PlanChoices {
  readonly maxParallelSteps?: number;
}

const KNOWN: ReadonlySet<string> = new Set<keyof RunOptions>([
  "executionMode",
  "globalTimeoutMs",
  "failureStrategy",
  "maxParallelSteps",
]);
const maxParallelSteps = integer(1);

/** The options as they were given, checked; throws with everything that is wrong with them. */
export function runOptions(subject: string, given: unknown): RunOptions {
  return readOptions(subject, given, KNOWN, (fields) => {
    const atOnce = fields.optional("maxParallelSteps", maxParallelSteps);
    return { ...readChoices(fields), ...(atOnce === undefined ? {} : { maxParallelSteps: atOnce }) };
  });
}

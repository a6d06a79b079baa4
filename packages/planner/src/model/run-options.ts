// The options with which an engine runs a planned workflow, beside its definition.

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

/** Checks the options and returns them, or throws one error with all problems. */
export function runOptions(subject: string, given: unknown): RunOptions {
  return readOptions(subject, given, KNOWN, (fields) => {
    const givenMax = fields.optional("maxParallelSteps", maxParallelSteps);
    return { ...readChoices(fields), ...(givenMax === undefined ? {} : { maxParallelSteps: givenMax }) };
  });
}

// Checks the options of a start. Ids and keys are checked where they are used.

import type { StartOptions } from "./start-options.ts";
import { invalidOption } from "../checks/option-error.ts";
import { ANYTHING, checkOptions, isObject, type Rule } from "../checks/option-rules.ts";

const RULES: Readonly<Record<keyof StartOptions, Rule>> = {
  id: { expected: "text", fits: (value) => typeof value !== "string" || value !== "" },
  idempotencyKey: ANYTHING,
  correlationId: ANYTHING,
  labels: ANYTHING,
  signal: { expected: "an AbortSignal", fits: (value) => value instanceof AbortSignal },
  priority: { expected: "a number", fits: Number.isFinite },
};

export function checkStartOptions(options: StartOptions): void {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  checkOptions("a start", options, RULES);
}

// Checks the options of a start. Ids and keys are checked where they are used.

import type { StartOptions } from "./start-options.ts";
import { invalidOption } from "../checks/option-error.ts";
import { isTraceparent } from "../checks/trace-context.ts";
import { ANYTHING, checkOptions, isObject, type Rule } from "../checks/option-rules.ts";

const RULES: Readonly<Record<keyof StartOptions, Rule>> = {
  id: { expected: "text", fits: (value) => typeof value !== "string" || value !== "" },
  idempotencyKey: ANYTHING,
  correlationId: ANYTHING,
  labels: ANYTHING,
  traceparent: { expected: "a W3C trace context, such as 00-<32 hex digits>-<16 hex digits>-01", fits: isTraceparent },
  signal: { expected: "an AbortSignal", fits: (value) => value instanceof AbortSignal },
  priority: { expected: "a number", fits: Number.isFinite },
};

export function checkStartOptions(options: StartOptions): void {
  if (!isObject(options)) throw invalidOption("options", "an object", options);
  checkOptions("a start", options, RULES);
}

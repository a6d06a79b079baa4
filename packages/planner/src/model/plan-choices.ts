// Mode, timeout and failure strategy of a single call. They have no default: an absent one leaves the choice to the definition
// (ruling 11).

import { integer, oneOf } from "./check.ts";
import type { FieldReader } from "./field-reader.ts";
import { FailureStrategy, type ExecutionMode } from "./vocabulary.ts";
import { executionModeField } from "./workflow-definition.ts";

export interface PlanChoices {
  readonly executionMode?: ExecutionMode;
  readonly globalTimeoutMs?: number;
  readonly failureStrategy?: FailureStrategy;
}

const failureStrategy = oneOf(FailureStrategy, "unknown-value");
const globalTimeoutMs = integer(1);

export function readChoices(fields: FieldReader): PlanChoices {
  const executionMode = fields.optional("executionMode", executionModeField);
  const timeoutMs = fields.optional("globalTimeoutMs", globalTimeoutMs);
  const strategy = fields.optional("failureStrategy", failureStrategy);
  return {
    ...(executionMode === undefined ? {} : { executionMode }),
    ...(timeoutMs === undefined ? {} : { globalTimeoutMs: timeoutMs }),
    ...(strategy === undefined ? {} : { failureStrategy: strategy }),
  };
}

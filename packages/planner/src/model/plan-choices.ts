// What may be said of a single run, beside what the definition says: mode, timeout and failure strategy. They are absent unless
// somebody wrote them, so that a default does not beat the definition's (ruling 11).

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

import type { JsonObject } from "@segno/kernel";
import { ExecutionMode } from "../model/vocabulary.ts";
import type { OrchestratorInput } from "../model/orchestrator-input.ts";

/**
 * The context of one operation: the input's metadata and three keys of the system, which nothing overrides (PLAN-18). An
 * input without a mode has the mode that the source gives it by default.
 */
export function workflowContext(input: OrchestratorInput): JsonObject {
  return Object.freeze({
    ...input.metadata,
    workflow_id: input.workflowId,
    operation_id: input.operationId,
    execution_mode: input.executionMode ?? ExecutionMode.SEQUENTIAL,
  });
}

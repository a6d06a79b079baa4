import type { JsonObject } from "@segno/kernel";
import type { OrchestratorInput } from "../model/orchestrator-input.ts";
import { ExecutionMode } from "../model/vocabulary.ts";
import type { WorkflowDefinition } from "../model/workflow-definition.ts";
import { plannedMode } from "../plan/planned-mode.ts";

/**
 * The context of one operation: the input's metadata and three keys of the system, which the metadata cannot override (PLAN-18).
 * The mode is that of the plan: the input's, else the definition's, else the source's default.
 */
export function workflowContext(input: OrchestratorInput, definition?: WorkflowDefinition): JsonObject {
  return Object.freeze({
    ...input.metadata,
    workflow_id: input.workflowId,
    operation_id: input.operationId,
    execution_mode: plannedMode(definition, input.executionMode) ?? ExecutionMode.SEQUENTIAL,
  });
}

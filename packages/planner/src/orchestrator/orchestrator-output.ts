// The output of an orchestrator's call: the result of the plan in the shape of the facade, and the id of the call (PLAN-18).

import { isJsonArray, type JsonObject } from "@segno/kernel";
import type { Action } from "../model/action.ts";
import type { StepError, WorkflowExecutionResult } from "../plan/workflow-execution-result.ts";

/** The counts of a planned workflow. */
export interface OrchestratorMetrics {
  readonly actions_count: number;
  readonly completed_count: number;
  readonly failed_count: number;
  readonly skipped_count: number;
}

/** The result of an orchestrator: the plan of a workflow and its metrics. */
export interface OrchestratorOutput {
  readonly workflowId: string;
  /** The id of this call. */
  readonly operationId: string;
  readonly executionStatus: string;
  readonly executionTimeMs: number;
  /** Both times are the time of completion; `executionTimeMs` has the duration. */
  readonly startTime: string;
  readonly endTime: string;
  readonly completedSteps: readonly string[];
  readonly failedSteps: readonly string[];
  readonly skippedSteps: readonly string[];
  /** Always null: planning runs no step, so there are no outputs. */
  readonly stepOutputs: JsonObject;
  readonly finalResult: null;
  readonly outputVariables: JsonObject;
  readonly errors: readonly StepError[];
  readonly metrics: OrchestratorMetrics;
  /** Both ids, `execution_mode` and `workflow_name`; `batch_size` in the mode batch. */
  readonly metadata: JsonObject;
  /** Always 0: a plan does not determine which steps run in parallel (ruling 13). */
  readonly parallelExecutions: 0;
  readonly actionsEmitted: readonly Action[];
  readonly customOutputs: null;
}

const NOTHING: JsonObject = Object.freeze({});

export function toOutput(result: WorkflowExecutionResult, operationId: string): OrchestratorOutput {
  return Object.freeze({
    workflowId: result.workflowId,
    operationId,
    executionStatus: result.executionStatus,
    executionTimeMs: result.executionTimeMs,
    startTime: result.timestamp,
    endTime: result.timestamp,
    completedSteps: result.completedSteps,
    failedSteps: result.failedSteps,
    skippedSteps: result.skippedSteps,
    stepOutputs: NOTHING,
    finalResult: null,
    outputVariables: NOTHING,
    errors: toErrors(result),
    metrics: toMetrics(result),
    metadata: toMetadata(result, operationId),
    parallelExecutions: 0,
    actionsEmitted: result.actionsEmitted,
    customOutputs: null,
  });
}

function toErrors({ metadata }: WorkflowExecutionResult): readonly StepError[] {
  const errors = metadata["errors"];
  return isJsonArray(errors) ? (errors as readonly StepError[]) : Object.freeze([]);
}

/** Leaves out `errors`, which the output has as a field. */
function toMetadata({ workflowId, metadata }: WorkflowExecutionResult, operationId: string): JsonObject {
  const { errors: _, ...rest } = metadata;
  return Object.freeze({ workflow_id: workflowId, operation_id: operationId, ...rest });
}

function toMetrics(result: WorkflowExecutionResult): OrchestratorMetrics {
  return Object.freeze({
    actions_count: result.actionsEmitted.length,
    completed_count: result.completedSteps.length,
    failed_count: result.failedSteps.length,
    skipped_count: result.skippedSteps.length,
  });
}

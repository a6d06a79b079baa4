import type { JsonObject } from "@segno/kernel";
import type { Action } from "../model/action.ts";
import type { WorkflowState } from "../model/vocabulary.ts";

/** One failure, in the words of the source (PLAN-19). */
export interface StepError extends JsonObject {
  readonly step_id: string;
  /** Stable, in kebab-case. */
  readonly error_type: string;
  readonly message: string;
}

/** The result of `executeWorkflow`: the actions of the plan, and the steps that it does not run. */
export interface WorkflowExecutionResult {
  readonly workflowId: string;
  readonly executionStatus: WorkflowState;
  /** In the order of their actions. */
  readonly completedSteps: readonly string[];
  /** In the order in which they failed; steps that failed together are in declaration order. */
  readonly failedSteps: readonly string[];
  /** In declaration order (PLAN-11). */
  readonly skippedSteps: readonly string[];
  readonly actionsEmitted: readonly Action[];
  readonly executionTimeMs: number;
  /**
   * `execution_mode` and `workflow_name`; `errors` if a step failed; `batch_size` in the mode batch. The metadata does not show how
   * the plan was made: it has no waves, no graph and no map from steps to actions (PLAN-15).
   */
  readonly metadata: JsonObject;
  /** When the plan was complete, as ISO 8601 text. */
  readonly timestamp: string;
}

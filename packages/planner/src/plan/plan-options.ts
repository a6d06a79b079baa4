import type { ExecutionMode, FailureStrategy } from "../model/vocabulary.ts";
import type { WorkflowStep } from "../model/workflow-step.ts";
import type { Sources } from "../sources.ts";

export interface PlanOptions extends Sources {
  /** Beats the definition's. */
  readonly executionMode?: ExecutionMode | undefined;
  /** Bounds the whole plan and changes no step's own timeout. Falls back to the definition's (ruling 11). */
  readonly globalTimeoutMs?: number | undefined;
  /** Counts for steps that have no error action of their own. */
  readonly failureStrategy?: FailureStrategy | undefined;
  /** What a step's payload holds beside the three keys that every payload has and that it cannot override. */
  readonly payloadFor?: ((step: WorkflowStep) => object) | undefined;
  /** Ids of steps that a downstream node reported as failed. */
  readonly failedSteps?: readonly string[] | undefined;
  readonly signal?: { readonly aborted: boolean } | undefined;
}

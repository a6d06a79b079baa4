import type { MergeResult } from "../model/merge-result.ts";
import type { WorkflowStatus } from "../model/workflow-context.ts";

/** Commands the engine that runs the workflows. */
export interface WorkflowControl {
  pause(workflowId: string): Promise<void>;
  resume(workflowId: string): Promise<void>;
  cancel(workflowId: string, reason: string): Promise<void>;
  status(workflowId: string): Promise<WorkflowStatus>;
  /** Waits for the end of the workflow, and returns the result of its landing. */
  complete(workflowId: string): Promise<MergeResult>;
}

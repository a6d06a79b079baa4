// The states of tasks and workflows, under the names of the task engines; internally they are those of STATE-2 (ruling
// 44).

import type { ExecutionStatus, SkipReason, StepSnapshot } from "@segno/kernel";

/** The states of a task. */
export const TaskState: Readonly<{
  PENDING: "PENDING";
  RUNNING: "RUNNING";
  COMPLETED: "COMPLETED";
  FAILED: "FAILED";
  SKIPPED: "SKIPPED";
  CANCELLED: "CANCELLED";
}> = Object.freeze({
  PENDING: "PENDING",
  RUNNING: "RUNNING",
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  SKIPPED: "SKIPPED",
  CANCELLED: "CANCELLED",
});

export type TaskState = keyof typeof TaskState;

/** The state of a workflow; a workflow is never skipped. */
export type WorkflowState = Exclude<TaskState, "SKIPPED">;

export function taskState({ status, detail }: Pick<StepSnapshot, "status" | "detail">): TaskState {
  switch (status) {
    case "waiting":
    case "ready":
    case "queued":
      return "PENDING";
    case "running":
    case "retrying":
    case "suspended":
    case "open":
    case "cancelling":
      return "RUNNING";
    case "succeeded":
      return "COMPLETED";
    case "failed":
      return "FAILED";
    case "cancelled":
      return "CANCELLED";
    case "skipped":
      return detail.kind === "skip" && isOwnCancellation(detail.reason) ? "SKIPPED" : "CANCELLED";
  }
}

/**
 * Whether the task's own condition skipped it. In the terms of the task engines, a task that another failure skips is
 * cancelled.
 */
function isOwnCancellation({ kind }: SkipReason): boolean {
  return kind !== "dependency-failed" && kind !== "failing";
}

const WORKFLOW_STATES: Readonly<Record<ExecutionStatus | "none", WorkflowState>> = {
  none: "PENDING",
  pending: "PENDING",
  validating: "PENDING",
  running: "RUNNING",
  paused: "RUNNING",
  parked: "RUNNING",
  failing: "RUNNING",
  cancelling: "RUNNING",
  completed: "COMPLETED",
  failed: "FAILED",
  cancelled: "CANCELLED",
};

export function workflowState(status: ExecutionStatus | "none"): WorkflowState {
  return WORKFLOW_STATES[status];
}

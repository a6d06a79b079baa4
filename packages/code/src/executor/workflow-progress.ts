// The progress of a workflow, read from the status of its execution.

import type { ExecutionReport, WatchEvent } from "@segno/engine";
import type { WorkflowState, WorkflowStatus } from "../model/workflow-context.ts";

/** The merge of a task of the template, or of one that appeared in the task backend. */
const MERGE = /^(?:more-tasks\/)*merge-([^/]+)$/u;

/** The tasks whose work has landed, in the order of the template. */
export function completedTasks({ steps }: ExecutionReport): readonly string[] {
  return steps.flatMap(({ name, status }) => {
    const task = MERGE.exec(name)?.[1];
    return task !== undefined && status === "succeeded" ? [task] : [];
  });
}

export function toWorkflowStatus(workflowId: string, report: ExecutionReport, activeSessions: number): WorkflowStatus {
  const tasksAll = report.steps.filter(({ name }) => MERGE.test(name)).length;
  return {
    workflowId,
    state: workflowState(report.status),
    tasksDone: completedTasks(report).length,
    tasksAll,
    activeSessions,
    ...(report.reason === undefined ? {} : { error: report.reason }),
  };
}

function workflowState(status: ExecutionReport["status"]): WorkflowState {
  switch (status) {
    case "completed":
    case "failed":
    case "cancelled":
      return status;
    case "paused":
    case "parked":
      return "paused";
    default:
      return "running";
  }
}

/** The step at which a person has to decide; undefined if there is none among these events. */
export function escalatedStep(events: readonly WatchEvent[]): string | undefined {
  return events.find(({ kind, step }) => kind === "step.suspended" && isEscalation(step))?.step;
}

/** The step at which a workflow waits for the decision of a person; undefined if it does not. */
export function waitingEscalation({ steps }: ExecutionReport): string | undefined {
  return steps.find(({ name, detail }) => detail.kind === "wait" && isEscalation(name))?.name;
}

function isEscalation(step: string | undefined): boolean {
  return step !== undefined && (step.endsWith("/escalation") || step.endsWith("/question"));
}

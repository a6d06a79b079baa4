// The record of a workflow in a task backend. It waits for all tasks of the workflow, so it also says which tasks there are.

import type { CodeTask, NewTask } from "../model/task.ts";

const TYPE = "workflow";

export function trackingRecord(workflowId: string, title: string, dependencies: readonly string[]): NewTask {
  return { id: workflowId, workflowId, title, type: TYPE, dependencies };
}

/** Whether this is the record of a workflow and not a task. */
export function isTracking({ id, workflowId, type }: Pick<CodeTask, "id" | "workflowId" | "type">): boolean {
  return type === TYPE && id === workflowId;
}

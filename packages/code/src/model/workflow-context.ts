// A code workflow as its tasks, strategies and policies see it.

import type { ParameterValues } from "./parameter-values.ts";

/** The workflow that a task belongs to. */
export interface WorkflowContext {
  /** The id of the execution. */
  readonly workflowId: string;
  /** The name of the template. */
  readonly template: string;
  /** The branch on which the work of all tasks is collected (CODE-3). */
  readonly workflowBranch: string;
  /** The branch that receives the whole work at the end. */
  readonly baseBranch: string;
  /** The commit of the base branch from which the workflow branch was created. */
  readonly baseCommit: string;
  /** The values of the template's parameters. */
  readonly parameters: ParameterValues;
  /** The folder of the workspaces; undefined if the workspace port does not tell it. */
  readonly workspaceFolder?: string;
}

/** The states of a code workflow. */
export type WorkflowState = "running" | "paused" | "completed" | "failed" | "cancelled";

/** The state of a code workflow, with counts of its tasks. */
export interface WorkflowStatus {
  readonly workflowId: string;
  readonly state: WorkflowState;
  readonly tasksDone: number;
  readonly tasksAll: number;
  /** The sessions that are at work now. */
  readonly activeSessions: number;
  readonly error?: string;
}

/** The context of tasks that no template surrounds. */
export function bareContext(workflowId: string, workflowBranch: string): WorkflowContext {
  return { workflowId, template: "", workflowBranch, baseBranch: workflowBranch, baseCommit: "", parameters: {} };
}

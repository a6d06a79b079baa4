// A session: one agent at work on one task, in a workspace of its own.

import type { JsonObject } from "@segno/kernel";
import type { FixContext } from "./error-resolution.ts";
import type { WorkflowContext } from "./workflow-context.ts";

/** The task as its agent gets to know it (CODE-4). */
export interface CodeTaskContext {
  readonly taskId: string;
  readonly title: string;
  readonly instructions: string;
  readonly acceptanceCriteria: readonly string[];
  /** Data of the template, beside the instructions. */
  readonly data: JsonObject;
  readonly workflow: WorkflowContext;
  /** The results of the tasks that this task depends on, by task id. */
  readonly artefacts: Readonly<Record<string, TaskArtefact>>;
  /** Set if the agent repairs a merge that failed. */
  readonly fix?: FixContext;
}

export interface TaskArtefact {
  readonly summary?: string;
  /** The commit with which the task landed. */
  readonly commit?: string;
  readonly changedFiles: readonly string[];
}

export type SessionStatus = "initializing" | "running" | "completed" | "failed";

export interface ExecutionSession {
  readonly sessionId: string;
  readonly taskId: string;
  readonly workspaceId: string;
  readonly workspacePath: string;
  readonly taskBranch: string;
  readonly agentId: string;
  readonly context: CodeTaskContext;
  readonly startTime: Date;
  readonly status: SessionStatus;
}

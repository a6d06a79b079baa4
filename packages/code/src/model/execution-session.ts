// A session: one agent at work on one task, in a workspace of its own.

import type { JsonObject } from "@segno/kernel";
import type { FixContext } from "./error-resolution.ts";
import type { WorkflowContext } from "./workflow-context.ts";

/** The task as its agent gets to know it (CODE-4). */
export interface CodeTaskContext {
  /** The id of the task. */
  readonly taskId: string;
  /** The title of the task. */
  readonly title: string;
  /** The instructions for the agent. */
  readonly instructions: string;
  /** The criteria that the work has to meet. */
  readonly acceptanceCriteria: readonly string[];
  /** Data of the template, beside the instructions. */
  readonly data: JsonObject;
  /** The workflow that the task belongs to. */
  readonly workflow: WorkflowContext;
  /** The results of the tasks that this task depends on, by task id. */
  readonly artefacts: Readonly<Record<string, TaskArtefact>>;
  /** Set if the agent repairs a merge that failed. */
  readonly fix?: FixContext;
}

/** The result of a task, as later tasks get it. */
export interface TaskArtefact {
  readonly summary?: string;
  /** The commit with which the task landed. */
  readonly commit?: string;
  readonly changedFiles: readonly string[];
}

/** The statuses of a session. */
export type SessionStatus = "initializing" | "running" | "completed" | "failed";

/** The session of an agent that works on a task. */
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

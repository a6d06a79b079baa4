// A task as task backends and scheduling strategies see it.

import type { JsonObject } from "@segno/kernel";

/** The statuses of a task. */
export type TaskStatus = "open" | "in_progress" | "completed" | "failed";

/** A task for a coding agent. */
export interface CodeTask {
  readonly id: string;
  readonly workflowId: string;
  readonly title: string;
  readonly instructions: string;
  readonly acceptanceCriteria: readonly string[];
  readonly type: string;
  readonly priority: number;
  /** A date. */
  readonly deadline?: string;
  readonly context: JsonObject;
  /** The agent that works on it; without it, the default agent. */
  readonly agent?: string;
  /** The checks of its merge, instead of those of the policies. */
  readonly checks?: readonly string[];
  /** The files that it will change, as patterns. Tasks that touch the same files do not run at the same time. */
  readonly touches?: readonly string[];
  /** Whether it runs alone. */
  readonly exclusive?: boolean;
  readonly status: TaskStatus;
  /** The executor that works on the task. */
  readonly claimedBy?: string;
  /** When its claim expires, in milliseconds since 1970. */
  readonly claimedUntil?: number;
  /** The tasks that this task waits for. */
  readonly dependencies: readonly string[];
  /** The tasks that wait for this task. */
  readonly blockedTasks: readonly string[];
  readonly result?: CodeTaskResult;
  readonly error?: string;
}

/** The result of a task. */
export interface CodeTaskResult {
  readonly success: boolean;
  readonly summary?: string;
  readonly commit?: string;
  readonly error?: string;
}

/** The fields that a new task must have; the others have defaults. */
export interface NewTask extends Partial<
  Omit<CodeTask, "blockedTasks" | "status" | "claimedBy" | "claimedUntil" | "result" | "error">
> {
  readonly id: string;
  readonly workflowId: string;
}

/** The fields that may change after a task was created. */
export type TaskChanges = Partial<
  Pick<
    CodeTask,
    "title" | "instructions" | "acceptanceCriteria" | "type" | "priority" | "deadline" | "context" | "status"
  >
>;

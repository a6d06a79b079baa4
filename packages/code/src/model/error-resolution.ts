// The consequence of an error: another attempt, a fix task, or a question to a person (CODE-7, CODE-8).

import type { NewTask } from "./task.ts";
import type { ErrorType } from "./error-type.ts";
import type { ConflictInfo, MergeError } from "./merge-result.ts";

/** The failure of a merge, for the task that repairs it. */
export interface FixContext {
  /** The task whose merge failed. */
  readonly originalTaskId: string;
  /** The title and the instructions of the original task. */
  readonly originalIntent: string;
  /** The reason why the merge failed. */
  readonly error: MergeError;
  /** The conflicts of the merge, if it had any. */
  readonly conflicts?: ConflictInfo;
  /** The end of the output of the check that failed. */
  readonly ciLogs?: string;
  /** The number of this fix, from 1. */
  readonly fixNumber: number;
  /** The request of an error resolution strategy to the agent, in place of the default text. */
  readonly instructions?: string;
}

/** The failure that an error resolution strategy decides about. */
export interface CodeErrorContext {
  /** The workflow in which the failure happened. */
  readonly workflowId: string;
  /** The task that failed; absent for an error of the workflow itself. */
  readonly taskId?: string;
  /** The type of the error. */
  readonly errorType: ErrorType;
  /** The number of attempts, the one that failed included. */
  readonly attempt: number;
  /** The number of fixes that were made for the task. */
  readonly fixesMade: number;
  /** Whether the last fix left the failure as it was. */
  readonly isRepeated: boolean;
  /** Set for an error of a merge. */
  readonly fix?: FixContext;
}

/** The decision about a failure: another attempt, a fix task, or a decision by a person. */
export type ErrorResolution =
  | { readonly type: "retry"; readonly retryDelay: number }
  | { readonly type: "fix_task"; readonly task: NewTask }
  | { readonly type: "escalate"; readonly reason: string };

/** A pluggable decision about errors. */
export interface ErrorResolutionStrategy {
  resolve(error: Error, context: CodeErrorContext): ErrorResolution | Promise<ErrorResolution>;
}

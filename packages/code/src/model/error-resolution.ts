// The consequence of an error: another attempt, a fix task, or a question to a person (CODE-7, CODE-8).

import type { NewTask } from "./task.ts";
import type { ErrorType } from "./error-type.ts";
import type { ConflictInfo, MergeError } from "./merge-result.ts";

/** The failure of a merge, for the task that repairs it. */
export interface FixContext {
  readonly originalTaskId: string;
  /** The title and the instructions of the original task. */
  readonly originalIntent: string;
  readonly error: MergeError;
  readonly conflicts?: ConflictInfo;
  readonly ciLogs?: string;
  /** The number of this fix, from 1. */
  readonly fixNumber: number;
  /** The request of an error resolution strategy to the agent, in place of the default text. */
  readonly instructions?: string;
}

export interface CodeErrorContext {
  readonly workflowId: string;
  readonly taskId?: string;
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

export type ErrorResolution =
  | { readonly type: "retry"; readonly retryDelay: number }
  | { readonly type: "fix_task"; readonly task: NewTask }
  | { readonly type: "escalate"; readonly reason: string };

/** A pluggable decision about errors. */
export interface ErrorResolutionStrategy {
  resolve(error: Error, context: CodeErrorContext): ErrorResolution | Promise<ErrorResolution>;
}

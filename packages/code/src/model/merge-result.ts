// The result of a merge, as 003 names its fields.

import type { ErrorType } from "./error-type.ts";

/** The conflicts of a merge. */
export interface ConflictInfo {
  readonly files: readonly ConflictingFile[];
}

/** A file that two sides of a merge have changed differently. */
export interface ConflictingFile {
  readonly path: string;
  /** The messages of the version control about the file. */
  readonly messages: readonly string[];
  /** The versions of the file that conflict: of the common ancestor, of the target and of the work. Absent if not known. */
  readonly stages?: readonly string[];
}

/** The reason why a merge failed. */
export interface MergeError {
  readonly type: ErrorType;
  readonly message: string;
}

/** The result of a merge by a merge policy. */
export interface MergeResult {
  readonly success: boolean;
  readonly mergeId: string;
  /** The commit with which the work landed. */
  readonly commit?: string;
  /** Set if other work had landed for the task before: the head that was to be merged is not part of it. */
  readonly isOtherWork?: true;
  readonly error?: MergeError;
  /** The merge that failed: the head of the target, and the commit that was made on it. A fix starts from that commit. */
  readonly failed?: FailedMerge;
  readonly conflicts?: ConflictInfo;
  /** The end of the output of the check that failed. */
  readonly ciLogs?: string;
  /** Set if the merge has not failed, but cannot go on yet. */
  readonly waitingFor?: MergeWait;
}

/** A merge that failed, from which a fix starts. */
export interface FailedMerge {
  readonly onto: string;
  readonly commit: string;
  /** The command of the check that failed; undefined for a conflict. */
  readonly command?: string;
}

/** The reason why a merge waits. */
export type MergeWait =
  /** A person has to approve the pull request or the merge, here or, if the pull request has an id, on the forge. */
  | { readonly kind: "approval"; readonly message: string; readonly url?: string; readonly pullRequest?: string }
  /** The checks of a forge run; the merge is tried again after this time, and later less often. */
  | { readonly kind: "checks"; readonly retryAfterMs: number }
  /** The user's checked-out branch cannot be moved now. */
  | { readonly kind: "checkout"; readonly message: string; readonly retryAfterMs: number }
  /** The target fails the check without the task's work. No task is to blame; the workflow pauses. */
  | { readonly kind: "base-broken"; readonly message: string };

/** The states of a merge. */
export type MergeState =
  | "merging"
  | "waiting_for_checks"
  | "waiting_for_approval"
  | "completed"
  | "failed"
  | "cancelled";

/** A merge and its state. */
export interface MergeStatus {
  readonly mergeId: string;
  readonly taskId?: string;
  readonly workflowId: string;
  readonly state: MergeState;
  readonly result?: MergeResult;
}

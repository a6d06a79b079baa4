// The ports of merge policies: one for the work of a task, one for the work of the whole workflow (CODE-5).
//
//   MG1. A merge may be repeated, also after a crash and by another object. It lands at most once (CODE-6) and gives the same
//        commit again.
//   MG2. A merge that conflicts, fails its checks or waits changes no branch.
//   MG3. A policy rejects only if it cannot tell the result, for example because a branch is missing.
//   MG4. `handleMergeFailure` and `cancelMerge` may be repeated, may name a merge that the policy does not know, and do not
//        undo a merge that has landed.

import type { MergePolicyName } from "../model/merge-policy-name.ts";
import type { CodeTask } from "../model/task.ts";
import type { MergeResult, MergeStatus } from "../model/merge-result.ts";
import type { CheckResult, LandingMarker, MergedCommit } from "../vcs/branches.ts";
import type { Vcs } from "../vcs/vcs.ts";

/** A merge that a policy carries out. */
export interface MergePolicyRequest {
  /** Identifies the merge; the same id again continues it. */
  readonly mergeId: string;
  /** The workflow whose work is merged. */
  readonly workflowId: string;
  /** The repository, or the forge. */
  readonly vcs: Vcs;
  /** Identifies the landing, so that it happens once. */
  readonly marker: LandingMarker;
  /** The branch that is merged. */
  readonly sourceBranch: string;
  /** The commit of the source that is merged. */
  readonly sourceHead: string;
  /** The branch that receives the work. */
  readonly targetBranch: string;
  /** The title of a pull request. */
  readonly title: string;
  /** The message of the merge commit. */
  readonly message: string;
  /** The time of the commit, in milliseconds since 1970. */
  readonly atMs: number;
  /** Whether a person has approved the merge. */
  readonly isApproved: boolean;
  /** Runs the checks of the task or of the workflow; undefined if there are none. */
  readonly check?: (commit: MergedCommit) => Promise<CheckResult>;
  /** Aborts when the merge should stop. */
  readonly signal: AbortSignal;
}

/** A merge of the work of a task. */
export interface StepMergeRequest extends MergePolicyRequest {
  /** The task whose work is merged. */
  readonly task: CodeTask;
}

/** A landing of the work of a workflow on the base branch. */
export type WorkflowMergeRequest = MergePolicyRequest;

/** The common part of the policies that decide how work is merged. */
export interface MergePolicy {
  /** The built-in policy that this one is. Events then say whether merges wait for checks. */
  readonly policyName?: MergePolicyName;
  /** Undefined if this object does not know the merge. */
  getMergeStatus(mergeId: string): Promise<MergeStatus | undefined>;
  /** Told when the merge has failed for good or opens a fix, for example to comment on or to close a pull request. */
  handleMergeFailure(mergeId: string, result: MergeResult): Promise<void>;
  /** Told when the workflow was cancelled before the merge has landed. A merge whose checks run does not land then. */
  cancelMerge(mergeId: string): Promise<void>;
}

/** Decides how the work of a task is merged into the branch of its workflow. */
export interface StepMergePolicy extends MergePolicy {
  /** Merges the work of a task, or continues the merge. */
  mergeStep(request: StepMergeRequest): Promise<MergeResult>;
}

/** Decides how the work of a workflow lands on the base branch. */
export interface WorkflowMergePolicy extends MergePolicy {
  /** Lands the work of a workflow, or continues the landing. */
  mergeWorkflow(request: WorkflowMergeRequest): Promise<MergeResult>;
}

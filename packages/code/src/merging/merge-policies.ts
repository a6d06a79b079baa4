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

export interface MergePolicyRequest {
  /** Identifies the merge; the same id again continues it. */
  readonly mergeId: string;
  readonly workflowId: string;
  readonly vcs: Vcs;
  readonly marker: LandingMarker;
  readonly sourceBranch: string;
  readonly sourceHead: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly message: string;
  readonly atMs: number;
  /** Whether a person has approved the merge. */
  readonly isApproved: boolean;
  /** Runs the checks of the task or of the workflow; undefined if there are none. */
  readonly check?: (commit: MergedCommit) => Promise<CheckResult>;
  readonly signal: AbortSignal;
}

export interface StepMergeRequest extends MergePolicyRequest {
  readonly task: CodeTask;
}

export type WorkflowMergeRequest = MergePolicyRequest;

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

export interface StepMergePolicy extends MergePolicy {
  mergeStep(request: StepMergeRequest): Promise<MergeResult>;
}

export interface WorkflowMergePolicy extends MergePolicy {
  mergeWorkflow(request: WorkflowMergeRequest): Promise<MergeResult>;
}

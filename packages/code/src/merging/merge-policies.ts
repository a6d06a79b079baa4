// The ports of merge policies: one for the work of a task, one for the work of the whole workflow (CODE-5).

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
  getMergeStatus(mergeId: string): Promise<MergeStatus | undefined>;
  /** Told when the merge has failed for good or opens a fix, for example to comment on or to close a pull request. */
  handleMergeFailure(mergeId: string, result: MergeResult): Promise<void>;
  cancelMerge(mergeId: string): Promise<void>;
}

export interface StepMergePolicy extends MergePolicy {
  mergeStep(request: StepMergeRequest): Promise<MergeResult>;
}

export interface WorkflowMergePolicy extends MergePolicy {
  mergeWorkflow(request: WorkflowMergeRequest): Promise<MergeResult>;
}

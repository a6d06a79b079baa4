// The port to version control: branches and merges. A second interface, `PullRequests`, belongs to the same port.
//
//   B1. Every operation may be repeated after a crash and then gives the same answer.
//   B2. `mergeBranch` lands at most once for a marker (CODE-6), and lands exactly the commit that `check` accepted
//       (CODE-5).
//   B3. A branch that does not exist is an error, never a conflict.

import type { ConflictInfo } from "../model/merge-result.ts";

/** A branch and its head. */
export interface BranchStatus {
  readonly name: string;
  /** Undefined if the branch does not exist. */
  readonly head: string | undefined;
}

/** Identifies a landing: the same marker never lands twice. */
export interface LandingMarker {
  readonly workflowId: string;
  /** The id of the task, or `_workflow` for the landing of the whole workflow on the base branch. */
  readonly name: string;
}

/** A merge of one branch into another. */
export interface MergeBranchRequest {
  /** The branch that is merged. */
  readonly source: string;
  /** The commit of the source that is merged; the merge is refused if the branch has another. */
  readonly sourceHead: string;
  /** The branch that receives the work. */
  readonly target: string;
  /** Identifies the landing, so that it happens once. */
  readonly marker: LandingMarker;
  /** Whether the target gets one commit without the history of the source. */
  readonly isSquashed: boolean;
  /** The message of the merge commit. */
  readonly message: string;
  /** The time of the commit, in milliseconds since 1970. */
  readonly atMs: number;
  /** Runs the checks on the files of the merged commit. Without it nothing is checked. */
  readonly check?: (commit: MergedCommit) => Promise<CheckResult>;
}

/** A merged commit that has not landed yet. */
export interface MergedCommit {
  readonly commit: string;
  readonly tree: string;
  /** The head of the target onto which it was merged. */
  readonly onto: string;
}

/** The result of the checks of a merged commit. */
export type CheckResult =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly command: string; readonly log: string }
  /** The target fails the check without the merged work. */
  | { readonly kind: "base-broken"; readonly command: string; readonly log: string };

/** The result of merging a branch. */
export type BranchMergeOutcome =
  /** `isOtherWork`: the marker is that of an earlier landing, which does not have the head that the request names. */
  | { readonly kind: "landed"; readonly commit: string; readonly isNew: boolean; readonly isOtherWork?: true }
  /** `commit` has the conflicting files with conflict markers, and both sides as parents. It is never landed. */
  | { readonly kind: "conflict"; readonly onto: string; readonly commit: string; readonly conflicts: ConflictInfo }
  /** `commit` is the merged commit that failed. */
  | {
      readonly kind: "check-failed";
      readonly onto: string;
      readonly commit: string;
      readonly command: string;
      readonly log: string;
    }
  | { readonly kind: "base-broken"; readonly onto: string; readonly command: string; readonly log: string }
  /** The source has another head than the request says. */
  | { readonly kind: "source-moved" }
  /** The target is checked out in a folder of the user that cannot be moved now. Nothing was changed. */
  | { readonly kind: "checkout-blocked"; readonly reason: string };

/** The branches of a repository, as far as code workflows need them. */
export interface Branches {
  /** Creates a branch at a commit or at the head of another branch, and returns its head. An existing branch is left as it is. */
  createBranch(name: string, from: string): Promise<string>;
  /** Merges a branch into another, and lands the result if its checks pass. */
  mergeBranch(request: MergeBranchRequest): Promise<BranchMergeOutcome>;
  /**
   * Deletes a branch if it still has this head, and only if its work has landed with this marker, or if it has no work: all
   * its commits are in the branch of the workflow.
   */
  deleteBranch(name: string, expectedHead: string, landedWith: LandingMarker): Promise<void>;
  /** The head of a branch. */
  getBranchStatus(name: string): Promise<BranchStatus>;
  /** Whether a merge of the source into the target would have conflicts. */
  hasConflicts(source: string, target: string): Promise<boolean>;
  /** The conflicts that a merge of the source into the target would have. */
  getConflicts(source: string, target: string): Promise<ConflictInfo>;
}

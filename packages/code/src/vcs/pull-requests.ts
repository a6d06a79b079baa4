// The port to pull requests, on a forge or without one.
//
//   PQ1. A pull request is looked up by its source and target before it is created, so a repeated call creates no second.
//        One that was closed stays closed for the same head: a person has refused it. A new head opens a new one.
//   PQ2. A merge names the head that it expects. After a crash the state is read before anything is sent.
//   PQ3. On a forge, the head of an open pull request contains its target: what is checked at the head is what lands
//        (CODE-5). `createPullRequest` merges the target into it if the target has moved.

import type { ConflictInfo } from "../model/merge-result.ts";
import type { LandingMarker, MergedCommit } from "./branches.ts";

/** A pull request that is to be created. */
export interface NewPullRequest {
  /** The branch with the work. */
  readonly source: string;
  /** The branch that receives the work. */
  readonly target: string;
  /** The title, for people. */
  readonly title: string;
  /** The description, for people. */
  readonly body: string;
  /** The head of the source that the pull request is about. */
  readonly sourceHead: string;
  /** Whether checks will run before it lands. Without a forge, they are pending until then. */
  readonly hasChecks?: boolean;
  /** The landing that the pull request is for. A forge's merge is recorded with it. */
  readonly marker?: LandingMarker;
}

/** A pull request on a forge, or in the repository if there is no forge. */
export interface PullRequest {
  /** The id of the pull request; on GitHub its number. */
  readonly id: string;
  /** The branch with the work. */
  readonly source: string;
  /** The branch that receives the work. */
  readonly target: string;
  /** The address of its page, on a forge. */
  readonly url?: string;
  /** Set if it was closed without a merge, and the source has not changed since. */
  readonly isClosed?: true;
  /** On a forge, while it is open: its head, whose files are those that land, or that the target cannot be merged into it. */
  readonly merge?: MergedCommit | FoundConflict | "conflict";
}

/** The status of a pull request. */
export type PullRequestStatus =
  | {
      readonly kind: "open";
      readonly head: string;
      readonly isApproved: boolean;
      readonly isMergeable: boolean | undefined;
    }
  | { readonly kind: "merged"; readonly commit: string }
  | { readonly kind: "closed" };

/** The result of the checks of a pull request. */
export type PullRequestChecks =
  | { readonly kind: "pending" }
  | { readonly kind: "passed" }
  | {
      readonly kind: "failed";
      readonly name: string;
      readonly log: string;
      /** Set if the check fails on the target without the work too. */
      readonly isBaseBroken?: true;
    };

/** The result of merging a pull request. */
export type PullRequestMerge =
  | { readonly kind: "merged"; readonly commit: string }
  | { readonly kind: "head-moved" }
  /** The target has another head than the expected one: the merge has to be checked again. */
  | { readonly kind: "target-moved" }
  /** `found` is missing if the forge reports a conflict that a merge here cannot find. */
  | { readonly kind: "conflict"; readonly found?: FoundConflict }
  | { readonly kind: "refused"; readonly reason: string };

/** A conflict with the target as the forge has it, which may be newer than the branch here. */
export interface FoundConflict {
  readonly onto: string;
  /** Has the conflicting files with conflict markers, and both sides as parents. */
  readonly commit: string;
  readonly conflicts: ConflictInfo;
}

/** The texts of a pull request that is kept without a forge. */
export interface PullRequestTexts {
  readonly title: string;
  readonly body: string;
}

/** The pull requests of a repository. */
export interface PullRequests {
  /** Whether a forge keeps the pull requests and merges them. Without one, Segno merges by `mergeBranch`. */
  readonly isForge: boolean;
  /** Creates a pull request, or returns the existing one. */
  createPullRequest(request: NewPullRequest): Promise<PullRequest>;
  /** The status of a pull request. */
  getPullRequestStatus(id: string): Promise<PullRequestStatus>;
  /** The result of its checks. */
  getPullRequestChecks(id: string): Promise<PullRequestChecks>;
  /** Without `expectedTarget`, the target may have any head. */
  mergePullRequest(id: string, expectedHead: string, expectedTarget?: string): Promise<PullRequestMerge>;
  /** Closes a pull request without a merge. */
  closePullRequest(id: string): Promise<void>;
  /** Without a forge: keeps the result of checks that ran here, for `getPullRequestChecks`. */
  recordPullRequestChecks?(id: string, checks: PullRequestChecks): Promise<void>;
}

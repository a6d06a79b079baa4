// The port to pull requests, on a forge or without one.
//
//   PQ1. A pull request is looked up by its source and target before it is created, so a repeated call creates no second.
//        One that was closed stays closed for the same head: a person has refused it. A new head opens a new one.
//   PQ2. A merge names the head that it expects. After a crash the state is read before anything is sent.
//   PQ3. On a forge, the head of an open pull request contains its target: what is checked at the head is what lands
//        (CODE-5). `createPullRequest` merges the target into it if the target has moved.

import type { ConflictInfo } from "../model/merge-result.ts";
import type { LandingMarker, MergedCommit } from "./branches.ts";

export interface NewPullRequest {
  readonly source: string;
  readonly target: string;
  readonly title: string;
  readonly body: string;
  /** The head of the source that the pull request is about. */
  readonly sourceHead: string;
  /** Whether checks will run before it lands. Without a forge, they are pending until then. */
  readonly hasChecks?: boolean;
  /** The landing that the pull request is for. A forge's merge is recorded with it. */
  readonly marker?: LandingMarker;
}

export interface PullRequest {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly url?: string;
  /** Set if it was closed without a merge, and the source has not changed since. */
  readonly isClosed?: true;
  /** On a forge, while it is open: its head, whose files are those that land, or that the target cannot be merged into it. */
  readonly merge?: MergedCommit | FoundConflict | "conflict";
}

export type PullRequestStatus =
  | {
      readonly kind: "open";
      readonly head: string;
      readonly isApproved: boolean;
      readonly isMergeable: boolean | undefined;
    }
  | { readonly kind: "merged"; readonly commit: string }
  | { readonly kind: "closed" };

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

export interface PullRequests {
  /** Whether a forge keeps the pull requests and merges them. Without one, Segno merges by `mergeBranch`. */
  readonly isForge: boolean;
  createPullRequest(request: NewPullRequest): Promise<PullRequest>;
  getPullRequestStatus(id: string): Promise<PullRequestStatus>;
  getPullRequestChecks(id: string): Promise<PullRequestChecks>;
  /** Without `expectedTarget`, the target may have any head. */
  mergePullRequest(id: string, expectedHead: string, expectedTarget?: string): Promise<PullRequestMerge>;
  closePullRequest(id: string): Promise<void>;
  /** Without a forge: keeps the result of checks that ran here, for `getPullRequestChecks`. */
  recordPullRequestChecks?(id: string, checks: PullRequestChecks): Promise<void>;
}

// The port to pull requests, on a forge or without one.
//
//   PQ1. A pull request is looked up by its source and target before it is created, so a repeated call creates no second.
//        One that was closed stays closed for the same head: a person has refused it. A new head opens a new one.
//   PQ2. A merge names the head that it expects. After a crash the state is read before anything is sent.

import type { ConflictInfo } from "../model/merge-result.ts";
import type { LandingMarker } from "./branches.ts";

export interface NewPullRequest {
  readonly source: string;
  readonly target: string;
  readonly title: string;
  readonly body: string;
  /** The head of the source that the pull request is about. */
  readonly sourceHead: string;
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
  | { readonly kind: "failed"; readonly name: string; readonly log: string };

export type PullRequestMerge =
  | { readonly kind: "merged"; readonly commit: string }
  | { readonly kind: "head-moved" }
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

export interface PullRequests {
  /** Whether a forge keeps the pull requests and merges them. Without one, Segno merges by `mergeBranch`. */
  readonly isForge: boolean;
  createPullRequest(request: NewPullRequest): Promise<PullRequest>;
  getPullRequestStatus(id: string): Promise<PullRequestStatus>;
  getPullRequestChecks(id: string): Promise<PullRequestChecks>;
  mergePullRequest(id: string, expectedHead: string): Promise<PullRequestMerge>;
  closePullRequest(id: string): Promise<void>;
}

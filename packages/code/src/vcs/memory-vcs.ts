// Version control in memory, for tests: the branches, merges and pull requests of a git repository, on a repository in
// memory. The merges are those that ship; only the repository is another.
//
// With `onStep`, a test can let other work happen wherever git would be another process.

import { MemoryRepository } from "../git/memory-repository.ts";
import type { MemoryStep } from "../git/memory-step.ts";
import type { ConflictInfo } from "../model/merge-result.ts";
import type { BranchMergeOutcome, BranchStatus, LandingMarker, MergeBranchRequest } from "./branches.ts";
import { MemoryLandingRepository } from "./memory-landing-repository.ts";
import { readPullRequestId } from "./pull-request-refs.ts";
import type {
  NewPullRequest,
  PullRequest,
  PullRequestChecks,
  PullRequestMerge,
  PullRequestStatus,
} from "./pull-requests.ts";
import { RepositoryVcs } from "./repository-vcs.ts";
import type { Vcs } from "./vcs.ts";

/** Branches and pull requests in memory, for tests. */
export class MemoryVcs implements Vcs {
  readonly isForge = false;
  readonly repository: MemoryRepository;
  /** The branches whose work has landed, in the order of their landings. */
  readonly mergedBranches: string[] = [];
  /** Not a base class: tests see the port, and not the repository from which it is made. */
  readonly #vcs: RepositoryVcs;
  readonly #approved = new Set<string>();
  readonly #checks = new Map<string, PullRequestChecks>();

  constructor(repository: MemoryRepository = new MemoryRepository(), onStep: MemoryStep = async () => undefined) {
    this.repository = repository;
    this.#vcs = new RepositoryVcs(new MemoryLandingRepository(repository, onStep), { nowMs: () => 0 });
  }

  createBranch(name: string, from: string): Promise<string> {
    return this.#vcs.createBranch(name, from);
  }

  async mergeBranch(request: MergeBranchRequest): Promise<BranchMergeOutcome> {
    const outcome = await this.#vcs.mergeBranch(request);
    if (outcome.kind === "landed" && outcome.isNew) this.mergedBranches.push(request.source);
    return outcome;
  }

  deleteBranch(name: string, expectedHead: string, landedWith: LandingMarker): Promise<void> {
    return this.#vcs.deleteBranch(name, expectedHead, landedWith);
  }

  getBranchStatus(name: string): Promise<BranchStatus> {
    return this.#vcs.getBranchStatus(name);
  }

  hasConflicts(source: string, target: string): Promise<boolean> {
    return this.#vcs.hasConflicts(source, target);
  }

  getConflicts(source: string, target: string): Promise<ConflictInfo> {
    return this.#vcs.getConflicts(source, target);
  }

  createPullRequest(request: NewPullRequest): Promise<PullRequest> {
    return this.#vcs.createPullRequest(request);
  }

  async getPullRequestStatus(id: string): Promise<PullRequestStatus> {
    const status = await this.#vcs.getPullRequestStatus(id);
    return status.kind === "open" ? { ...status, isApproved: this.#approved.has(id) } : status;
  }

  async getPullRequestChecks(id: string): Promise<PullRequestChecks> {
    return this.#checks.get(id) ?? (await this.#vcs.getPullRequestChecks(id));
  }

  async mergePullRequest(id: string, expectedHead: string): Promise<PullRequestMerge> {
    const merge = await this.#vcs.mergePullRequest(id, expectedHead);
    const { source } = readPullRequestId(id);
    if (merge.kind === "merged" && !this.mergedBranches.includes(source)) this.mergedBranches.push(source);
    return merge;
  }

  closePullRequest(id: string): Promise<void> {
    return this.#vcs.closePullRequest(id);
  }

  recordPullRequestChecks(id: string, checks: PullRequestChecks): Promise<void> {
    return this.#vcs.recordPullRequestChecks(id, checks);
  }

  /** Approves a pull request, as a reviewer would do it. */
  approvePullRequest(id: string): void {
    this.#approved.add(id);
  }

  /** Sets the result of a pull request's checks, as a CI system would do it. */
  setPullRequestChecks(id: string, checks: PullRequestChecks): void {
    this.#checks.set(id, checks);
  }
}

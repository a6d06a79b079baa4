// Version control in memory, for tests: the branches, merges and pull requests of a git repository, on a repository in
// memory. The merges are those that ship; only the repository is another.
//
// With `onStep`, a test can let other work happen wherever git would be another process.

import { MemoryRepository } from "../git/memory-repository.ts";
import type { MemoryStep } from "../git/memory-step.ts";
import type { BranchMergeOutcome, MergeBranchRequest } from "./branches.ts";
import { MemoryLandingRepository } from "./memory-landing-repository.ts";
import { readPullRequestId } from "./pull-request-refs.ts";
import type { PullRequestChecks, PullRequestMerge, PullRequestStatus } from "./pull-requests.ts";
import { RepositoryVcs } from "./repository-vcs.ts";

export class MemoryVcs extends RepositoryVcs {
  readonly repository: MemoryRepository;
  /** The branches whose work has landed, in the order of their landings. */
  readonly mergedBranches: string[] = [];
  readonly #approved = new Set<string>();
  readonly #checks = new Map<string, PullRequestChecks>();

  constructor(repository: MemoryRepository = new MemoryRepository(), onStep: MemoryStep = async () => undefined) {
    super(new MemoryLandingRepository(repository, onStep), { nowMs: () => 0 });
    this.repository = repository;
  }

  override async mergeBranch(request: MergeBranchRequest): Promise<BranchMergeOutcome> {
    const outcome = await super.mergeBranch(request);
    if (outcome.kind === "landed" && outcome.isNew) this.mergedBranches.push(request.source);
    return outcome;
  }

  override async getPullRequestStatus(id: string): Promise<PullRequestStatus> {
    const status = await super.getPullRequestStatus(id);
    return status.kind === "open" ? { ...status, isApproved: this.#approved.has(id) } : status;
  }

  override async getPullRequestChecks(id: string): Promise<PullRequestChecks> {
    return this.#checks.get(id) ?? (await super.getPullRequestChecks(id));
  }

  override async mergePullRequest(id: string, expectedHead: string): Promise<PullRequestMerge> {
    const merge = await super.mergePullRequest(id, expectedHead);
    const { source } = readPullRequestId(id);
    if (merge.kind === "merged" && !this.mergedBranches.includes(source)) this.mergedBranches.push(source);
    return merge;
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

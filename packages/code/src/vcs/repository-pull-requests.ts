// Pull requests without a forge: a source branch, a target branch, and refs that say what became of it.
//
// These refs are all that is stored. The merge policy decides who has to approve a pull request. Checks run when it lands.

import { CodeError } from "../errors/code-error.ts";
import { branchRef, landedRef } from "../git/branch-names.ts";
import { ENGINE_IDENTITY } from "../git/object-git.ts";
import { isOid } from "../git/oid.ts";
import { resolveRef, type LandingRepository } from "./landing-repository.ts";
import { MergeLoop, type MergeOutcome } from "./merge-loop.ts";
import { pullRequestId, pullRequestRefs, readPullRequestId } from "./pull-request-refs.ts";
import type {
  NewPullRequest,
  PullRequest,
  PullRequestChecks,
  PullRequestMerge,
  PullRequests,
  PullRequestStatus,
} from "./pull-requests.ts";
import type { BranchesOptions } from "./repository-branches.ts";

export interface PullRequestsOptions extends BranchesOptions {
  /** The time of merge commits. */
  readonly nowMs?: () => number;
}

export class RepositoryPullRequests implements PullRequests {
  readonly isForge = false;
  readonly #repository: LandingRepository;
  readonly #options: PullRequestsOptions;

  constructor(repository: LandingRepository, options: PullRequestsOptions = {}) {
    this.#repository = repository;
    this.#options = options;
  }

  async createPullRequest({ source, target, sourceHead, marker }: NewPullRequest): Promise<PullRequest> {
    const refs = pullRequestRefs({ source, target });
    const landed = marker === undefined ? [] : [landedRef(marker.workflowId, marker.name)];
    const names = [branchRef(source), branchRef(target), ...Object.values(refs), ...landed];
    const found = await this.#repository.resolveAll(names);
    const id = pullRequestId({ source, target });
    // After the landing the source may be gone.
    if (found.has(refs.merged) || landed.some((ref) => found.has(ref))) return { id, source, target };
    for (const branch of [source, target])
      if (!found.has(branchRef(branch)))
        throw new CodeError("BRANCH_MISSING", `the branch \`${branch}\` does not exist`);
    const closed = found.get(refs.closed);
    if (closed === sourceHead) return { id, source, target, isClosed: true };
    if (closed !== undefined) await this.#repository.change([{ kind: "delete", ref: refs.closed, from: closed }]);
    return { id, source, target };
  }

  async getPullRequestStatus(id: string): Promise<PullRequestStatus> {
    const { source, target } = readPullRequestId(id);
    const refs = pullRequestRefs({ source, target });
    const found = await this.#repository.resolveAll([branchRef(source), branchRef(target), refs.merged, refs.closed]);
    const commit = found.get(refs.merged);
    if (commit !== undefined) return { kind: "merged", commit };
    const [head, onto] = [found.get(branchRef(source)), found.get(branchRef(target))];
    if (found.has(refs.closed) || head === undefined || onto === undefined) return { kind: "closed" };
    const { kind } = await this.#repository.merge(onto, head);
    return { kind: "open", head, isApproved: false, isMergeable: kind === "clean" };
  }

  /** Without a forge no checks are reported. */
  async getPullRequestChecks(id: string): Promise<PullRequestChecks> {
    readPullRequestId(id);
    return { kind: "passed" };
  }

  async mergePullRequest(id: string, expectedHead: string): Promise<PullRequestMerge> {
    const { source, target } = readPullRequestId(id);
    const refs = pullRequestRefs({ source, target });
    if ((await resolveRef(this.#repository, refs.closed)) !== undefined)
      return { kind: "refused", reason: "the pull request is closed" };
    if (!isOid(expectedHead)) return { kind: "head-moved" };
    const outcome = await new MergeLoop(this.#repository).run(
      {
        target: branchRef(target),
        source: { ref: branchRef(source), head: expectedHead },
        marker: refs.merged,
        records: [{ ref: refs.head, to: expectedHead }],
        isSquashed: false,
        message: `Merge ${source} into ${target}\n`,
        author: this.#options.author ?? ENGINE_IDENTITY,
        atMs: (this.#options.nowMs ?? Date.now)(),
      },
      async () => ({ kind: "passed" }),
    );
    return toPullRequestMerge(outcome);
  }

  async closePullRequest(id: string): Promise<void> {
    const branches = readPullRequestId(id);
    const refs = pullRequestRefs(branches);
    const found = await this.#repository.resolveAll([refs.merged, refs.closed, branchRef(branches.source)]);
    const head = found.get(branchRef(branches.source));
    if (found.has(refs.merged) || found.has(refs.closed) || head === undefined) return;
    await this.#repository.change([{ kind: "create", ref: refs.closed, to: head }]);
  }
}

function toPullRequestMerge(outcome: MergeOutcome): PullRequestMerge {
  switch (outcome.kind) {
    case "landed":
      return { kind: "merged", commit: outcome.commit };
    case "source-moved":
      return { kind: "head-moved" };
    case "conflict":
      return { kind: "conflict" };
    case "checkout-blocked":
      return { kind: "refused", reason: outcome.reason };
    case "check-failed":
    case "base-broken":
      return { kind: "refused", reason: outcome.log };
  }
}

// Pull requests without a forge: a source branch, a target branch, and refs that say what became of it.
//
// These refs are all that is stored. The merge policy decides who has to approve a pull request. Checks run when it lands.

import { CodeError } from "../errors/code-error.ts";
import { branchRef, landedRef } from "../git/branch-names.ts";
import { mergeTrees } from "../git/merge-trees.ts";
import { ENGINE_IDENTITY, type ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import { changeRefs } from "../git/ref-transaction.ts";
import type { Repository } from "../git/repository.ts";
import type { GitBranchesOptions } from "./git-branches.ts";
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

export interface GitPullRequestsOptions extends GitBranchesOptions {
  /** The time of merge commits. */
  readonly nowMs?: () => number;
}

export class GitPullRequests implements PullRequests {
  readonly isForge = false;
  readonly #repository: Repository;
  readonly #objects: ObjectGit;
  readonly #options: GitPullRequestsOptions;

  constructor(repository: Repository, objects: ObjectGit, options: GitPullRequestsOptions = {}) {
    this.#repository = repository;
    this.#objects = objects;
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
    if (closed !== undefined) await changeRefs(this.#repository, [{ kind: "delete", ref: refs.closed, from: closed }]);
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
    const { kind } = await mergeTrees(this.#objects, onto, head);
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
    if ((await this.#repository.resolve(refs.closed)) !== undefined)
      return { kind: "refused", reason: "the pull request is closed" };
    if (!isOid(expectedHead)) return { kind: "head-moved" };
    const outcome = await new MergeLoop(this.#repository, this.#objects).run(
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
    await changeRefs(this.#repository, [{ kind: "create", ref: refs.closed, to: head }]);
  }

  /** The changes that the source would bring to the target, as a patch. Both may be branches or commits. */
  async diff(source: string, target: string): Promise<string> {
    const [to, from] = [await this.#commit(source), await this.#commit(target)];
    const options = ["--no-color", "--no-ext-diff", "--no-textconv", "--merge-base"];
    return await this.#objects.text(["diff-tree", "-p", ...options, from, to]);
  }

  async #commit(name: string): Promise<Oid> {
    const commit = isOid(name) ? name : await this.#repository.resolve(branchRef(name));
    if (commit === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${name}\` does not exist`);
    return commit;
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

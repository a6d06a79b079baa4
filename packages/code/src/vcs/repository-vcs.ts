// Version control without a forge: the branches of a repository, and pull requests, which are a source branch, a target
// branch, and refs that say what became of them.
//
//   RP1. These refs are all that is stored. Its title, its body and the results of its checks are in the message of a commit
//        under one of them. The merge policy decides who has to approve a pull request. Checks run when it lands.
//   RP2. It is merged if its own ref says so, or if the landing that it is for has its marker.

import { CodeError } from "../errors/code-error.ts";
import { branchRef, landedRef } from "../git/branch-names.ts";
import { ENGINE_IDENTITY } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import type { LandingMarker } from "./branches.ts";
import { resolveRef, type LandingRepository } from "./landing-repository.ts";
import { MergeLoop, type MergeOutcome } from "./merge-loop.ts";
import { pullRequestId, pullRequestRefs, readPullRequestId, type PullRequestBranches } from "./pull-request-refs.ts";
import type {
  NewPullRequest,
  PullRequest,
  PullRequestChecks,
  PullRequestMerge,
  PullRequestStatus,
  PullRequestTexts,
} from "./pull-requests.ts";
import { RepositoryBranches, type BranchesOptions } from "./repository-branches.ts";
import type { Vcs } from "./vcs.ts";

export interface RepositoryVcsOptions extends BranchesOptions {
  /** The time of merge commits. */
  readonly nowMs?: () => number;
}

interface PullRequestRecord extends PullRequestTexts {
  readonly sourceHead: string;
  readonly marker?: LandingMarker;
  readonly checks: PullRequestChecks;
}

export class RepositoryVcs extends RepositoryBranches implements Vcs {
  readonly isForge = false;
  readonly #repository: LandingRepository;
  readonly #options: RepositoryVcsOptions;

  constructor(repository: LandingRepository, options: RepositoryVcsOptions = {}) {
    super(repository, options);
    this.#repository = repository;
    this.#options = options;
  }

  async createPullRequest(request: NewPullRequest): Promise<PullRequest> {
    const { source, target, sourceHead, marker } = request;
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
    await this.#recordRequest(request);
    return { id, source, target };
  }

  async getPullRequestStatus(id: string): Promise<PullRequestStatus> {
    const { source, target } = readPullRequestId(id);
    const refs = pullRequestRefs({ source, target });
    const marker = (await this.#record({ source, target }))?.marker;
    const landed = marker === undefined ? refs.merged : landedRef(marker.workflowId, marker.name);
    const names = [branchRef(source), branchRef(target), refs.merged, refs.closed, landed];
    const found = await this.#repository.resolveAll(names);
    const commit = found.get(refs.merged) ?? found.get(landed);
    if (commit !== undefined) return { kind: "merged", commit };
    const [head, onto] = [found.get(branchRef(source)), found.get(branchRef(target))];
    if (found.has(refs.closed) || head === undefined || onto === undefined) return { kind: "closed" };
    const { kind } = await this.#repository.merge(onto, head);
    return { kind: "open", head, isApproved: false, isMergeable: kind === "clean" };
  }

  async getPullRequestChecks(id: string): Promise<PullRequestChecks> {
    return (await this.#record(readPullRequestId(id)))?.checks ?? { kind: "passed" };
  }

  async recordPullRequestChecks(id: string, checks: PullRequestChecks): Promise<void> {
    const branches = readPullRequestId(id);
    const record = await this.#record(branches);
    if (record !== undefined) await this.#write(branches, { ...record, checks });
  }

  /** Undefined if there is no such pull request. */
  async readPullRequest(id: string): Promise<PullRequestTexts | undefined> {
    return await this.#record(readPullRequestId(id));
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

  async #recordRequest({ source, target, title, body, sourceHead, marker, hasChecks }: NewPullRequest): Promise<void> {
    const known = await this.#record({ source, target });
    const kind = hasChecks === true ? "pending" : "passed";
    const checks: PullRequestChecks = known?.sourceHead === sourceHead ? known.checks : { kind };
    const record = { title, body, sourceHead, ...(marker === undefined ? {} : { marker }), checks };
    await this.#write({ source, target }, record);
  }

  async #record(branches: PullRequestBranches): Promise<PullRequestRecord | undefined> {
    const commit = await resolveRef(this.#repository, pullRequestRefs(branches).record);
    if (commit === undefined) return undefined;
    try {
      return JSON.parse((await this.#repository.read(commit)).message) as PullRequestRecord;
    } catch {
      // An agent can write refs; the next request writes the record again.
      return undefined;
    }
  }

  async #write(branches: PullRequestBranches, record: PullRequestRecord): Promise<void> {
    const ref = pullRequestRefs(branches).record;
    const { tree } = await this.#repository.read(record.sourceHead as Oid);
    const commit = { tree, parents: [], message: JSON.stringify(record), author: ENGINE_IDENTITY, atMs: 0 };
    const to = await this.#repository.commit(commit);
    const from = await resolveRef(this.#repository, ref);
    if (from === to) return;
    // If another process was faster, its record is as good.
    await this.#repository.change([
      from === undefined ? { kind: "create", ref, to } : { kind: "update", ref, from, to },
    ]);
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

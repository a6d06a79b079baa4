// Version control in memory, for tests: branches, merges and pull requests on a repository in memory.
//
// With `onStep`, a test can let other work happen wherever git would be another process.

import { CodeError } from "../errors/code-error.ts";
import { branchRef, landedRef, workflowBranch } from "../git/branch-names.ts";
import { landOn, type LandingOutcome, type LandingRefs } from "../git/landing.ts";
import { MemoryRepository, type MemoryMerge } from "../git/memory-repository.ts";
import type { MemoryStep } from "../git/memory-step.ts";
import type { Oid } from "../git/oid.ts";
import type { ConflictInfo } from "../model/merge-result.ts";
import type {
  Branches,
  BranchMergeOutcome,
  BranchStatus,
  CheckResult,
  LandingMarker,
  MergeBranchRequest,
} from "./branches.ts";
import type {
  NewPullRequest,
  PullRequest,
  PullRequestChecks,
  PullRequestMerge,
  PullRequests,
  PullRequestStatus,
} from "./pull-requests.ts";

interface MemoryPullRequest extends PullRequest {
  readonly title: string;
  isApproved: boolean;
  /** The head of the source when it was closed. */
  closedHead: string | undefined;
  checks: PullRequestChecks;
  merged: { readonly head: string; readonly commit: string } | undefined;
}

export class MemoryVcs implements Branches, PullRequests {
  readonly isForge = false;
  readonly repository: MemoryRepository;
  /** The branches whose work has landed, in the order of their landings. */
  readonly mergedBranches: string[] = [];
  readonly #pullRequests = new Map<string, MemoryPullRequest>();
  readonly #onStep: MemoryStep;
  readonly #refs: LandingRefs;

  constructor(repository: MemoryRepository = new MemoryRepository(), onStep: MemoryStep = async () => undefined) {
    this.repository = repository;
    this.#onStep = onStep;
    this.#refs = {
      resolve: async (ref) => {
        await onStep("resolve");
        return repository.resolve(ref) as Oid | undefined;
      },
      change: async (changes) => {
        await onStep("change refs");
        const outcome = repository.changeRefs(changes);
        await onStep("refs changed");
        return outcome;
      },
    };
  }

  async createBranch(name: string, from: string): Promise<string> {
    const existing = this.repository.resolve(branchRef(name));
    if (existing !== undefined) return existing;
    const start = this.repository.resolve(branchRef(from)) ?? this.repository.read(from).id;
    await this.#onStep("create branch");
    return this.repository.move(branchRef(name), undefined, start) ? start : this.#head(name);
  }

  async mergeBranch(request: MergeBranchRequest): Promise<BranchMergeOutcome> {
    const passed = new Set<string>();
    for (;;) {
      await this.#onStep("read refs");
      const landed = this.repository.resolve(markerRef(request.marker));
      if (landed !== undefined) return { kind: "landed", commit: landed, isNew: false };
      if (this.#head(request.source) !== request.sourceHead) return { kind: "source-moved" };
      const outcome = await this.#tryMerge(request, passed);
      if (outcome.kind !== "target-moved") return outcome;
    }
  }

  async deleteBranch(name: string, expectedHead: string, landedWith: LandingMarker): Promise<void> {
    const head = this.repository.resolve(branchRef(name));
    if (head === undefined) return;
    if (!this.#hasLanded(name, expectedHead, landedWith))
      throw new CodeError("BRANCH_NOT_LANDED", `\`${name}\` has not landed as ${landedWith.name}`);
    await this.#onStep("delete branch");
    if (!this.repository.move(branchRef(name), expectedHead, undefined))
      throw new CodeError("BRANCH_NOT_LANDED", `\`${name}\` is at ${head}, not at ${expectedHead}`);
  }

  async getBranchStatus(name: string): Promise<BranchStatus> {
    return { name, head: this.repository.resolve(branchRef(name)) };
  }

  async hasConflicts(source: string, target: string): Promise<boolean> {
    return (await this.getConflicts(source, target)).files.length > 0;
  }

  async getConflicts(source: string, target: string): Promise<ConflictInfo> {
    return toConflictInfo(this.repository.merge(this.#head(target), this.#head(source)));
  }

  async createPullRequest({ source, target, title, sourceHead, marker }: NewPullRequest): Promise<PullRequest> {
    const id = `${source}..${target}`;
    // After the landing the source may be gone.
    const hasLanded = marker !== undefined && this.repository.resolve(markerRef(marker)) !== undefined;
    if (!hasLanded) for (const branch of [source, target]) this.#head(branch);
    const existing = this.#pullRequests.get(id);
    if (existing?.closedHead === sourceHead) return { id, source, target, isClosed: true };
    this.#pullRequests.set(id, {
      id,
      source,
      target,
      title,
      isApproved: false,
      checks: { kind: "passed" },
      merged: undefined,
      ...existing,
      closedHead: undefined,
    });
    return { id, source, target };
  }

  async getPullRequestStatus(id: string): Promise<PullRequestStatus> {
    const { source, target, merged, closedHead, isApproved } = this.#pullRequest(id);
    if (merged !== undefined) return { kind: "merged", commit: merged.commit };
    const head = this.repository.resolve(branchRef(source));
    if (closedHead !== undefined || head === undefined) return { kind: "closed" };
    return { kind: "open", head, isApproved, isMergeable: !(await this.hasConflicts(source, target)) };
  }

  async getPullRequestChecks(id: string): Promise<PullRequestChecks> {
    return this.#pullRequest(id).checks;
  }

  async mergePullRequest(id: string, expectedHead: string): Promise<PullRequestMerge> {
    const pullRequest = this.#pullRequest(id);
    const { source, target, merged, title } = pullRequest;
    if (merged !== undefined) return { kind: "merged", commit: merged.commit };
    if (pullRequest.closedHead !== undefined) return { kind: "refused", reason: "the pull request is closed" };
    const head = this.repository.resolve(branchRef(source));
    if (head !== expectedHead) return { kind: "head-moved" };
    const onto = this.#head(target);
    const { files, conflicts } = this.repository.merge(onto, head);
    if (conflicts.length > 0) return { kind: "conflict" };
    const commit = this.repository.commit({ files, parents: [onto, head], message: title, atMs: 0 });
    this.repository.move(branchRef(target), onto, commit);
    this.mergedBranches.push(source);
    pullRequest.merged = { head, commit };
    return { kind: "merged", commit };
  }

  async closePullRequest(id: string): Promise<void> {
    const pullRequest = this.#pullRequest(id);
    pullRequest.closedHead ??= this.repository.resolve(branchRef(pullRequest.source));
  }

  /** Approves a pull request, as a reviewer would do it. */
  approvePullRequest(id: string): void {
    this.#pullRequest(id).isApproved = true;
  }

  /** Sets the result of a pull request's checks, as a CI system would do it. */
  setPullRequestChecks(id: string, checks: PullRequestChecks): void {
    this.#pullRequest(id).checks = checks;
  }

  async #tryMerge(
    request: MergeBranchRequest,
    passed: Set<string>,
  ): Promise<BranchMergeOutcome | { readonly kind: "target-moved" }> {
    const { source, sourceHead, target, isSquashed, message, atMs } = request;
    const onto = this.#head(target);
    await this.#onStep("merge");
    const merged = this.repository.merge(onto, sourceHead);
    const { files, conflicts } = merged;
    await this.#onStep("commit");
    if (conflicts.length > 0) {
      const marked = { files, parents: [sourceHead, onto], message: `Conflicts of ${source}`, atMs };
      return {
        kind: "conflict",
        onto,
        commit: this.repository.commit(marked),
        conflicts: toConflictInfo(merged),
      };
    }
    const parents = isSquashed ? [onto] : [onto, sourceHead];
    const commit = this.repository.commit({ files, parents, message, atMs });
    const checked = await this.#check(request, commit, onto, passed);
    if (checked.kind === "failed") return { ...checked, kind: "check-failed", onto, commit };
    if (checked.kind === "base-broken") return { ...checked, onto };
    return await this.#land(request, onto, commit);
  }

  async #check({ check }: MergeBranchRequest, commit: string, onto: string, passed: Set<string>): Promise<CheckResult> {
    const { tree } = this.repository.read(commit);
    if (check === undefined || passed.has(tree)) return { kind: "passed" };
    const result = await check({ commit, tree, onto });
    if (result.kind === "passed") passed.add(tree);
    return result;
  }

  async #land(request: MergeBranchRequest, onto: string, commit: string): Promise<LandingOutcome> {
    const { source, sourceHead, target, marker } = request;
    const outcome = await landOn(this.#refs, {
      target: { ref: branchRef(target), head: onto as Oid },
      source: { ref: branchRef(source), head: sourceHead as Oid },
      commit: commit as Oid,
      marker: markerRef(marker),
    });
    if (outcome.kind === "landed" && outcome.isNew) this.mergedBranches.push(source);
    return outcome;
  }

  #hasLanded(name: string, head: string, marker: LandingMarker): boolean {
    if (this.repository.resolve(markerRef(marker)) !== undefined) return true;
    const target = workflowBranch(marker.workflowId);
    const onto = this.repository.resolve(branchRef(target));
    if (name !== target && onto !== undefined && this.repository.isAncestor(head, onto)) return true;
    return [...this.#pullRequests.values()].some(({ source, merged }) => source === name && merged?.head === head);
  }

  #head(branch: string): string {
    const head = this.repository.resolve(branchRef(branch));
    if (head === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${branch}\` does not exist`);
    return head;
  }

  #pullRequest(id: string): MemoryPullRequest {
    const found = this.#pullRequests.get(id);
    if (found === undefined) throw new CodeError("PULL_REQUEST_MISSING", `there is no pull request ${id}`);
    return found;
  }
}

function markerRef({ workflowId, name }: LandingMarker): `refs/${string}` {
  return landedRef(workflowId, name);
}

/** The merged text has both sides, so it says which conflict it is. */
function toConflictInfo({ conflicts, files }: MemoryMerge): ConflictInfo {
  const messages = (path: string): readonly string[] => [`CONFLICT (content): Merge conflict in ${path}`];
  return { files: conflicts.map((path) => ({ path, messages: messages(path), stages: [files.get(path) ?? ""] })) };
}

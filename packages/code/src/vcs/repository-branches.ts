// Branches of a repository, of git or in memory.

import { CodeError } from "../errors/code-error.ts";
import { branchRef, landedRef, workflowBranch, type RefName } from "../git/branch-names.ts";
import type { MergedTrees } from "../git/merge-trees.ts";
import { ENGINE_IDENTITY, type Identity } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import type { ConflictInfo } from "../model/merge-result.ts";
import type { Branches, BranchMergeOutcome, BranchStatus, LandingMarker, MergeBranchRequest } from "./branches.ts";
import { resolveRef, type LandingRepository } from "./landing-repository.ts";
import { MergeLoop, type MergeOutcome } from "./merge-loop.ts";
import { sourceRefs } from "./pull-request-refs.ts";

export interface BranchesOptions {
  /** The author of merge commits. */
  readonly author?: Identity;
}

export class RepositoryBranches implements Branches {
  readonly #repository: LandingRepository;
  readonly #author: Identity;
  readonly #loop: MergeLoop;
  /** Markers that this process has seen. A marker is never changed. */
  readonly #landed = new Map<RefName, Oid>();

  constructor(repository: LandingRepository, options: BranchesOptions = {}) {
    this.#repository = repository;
    this.#author = options.author ?? ENGINE_IDENTITY;
    this.#loop = new MergeLoop(repository);
  }

  async createBranch(name: string, from: string): Promise<string> {
    const ref = branchRef(name);
    const existing = await resolveRef(this.#repository, ref);
    if (existing === undefined) {
      const start = isOid(from) ? from : await this.#head(from);
      const created = await this.#repository.change([{ kind: "create", ref, to: start }]);
      if (created.kind === "committed") return start;
    }
    await this.#refuseCheckedOut(name);
    return existing ?? (await this.#head(name));
  }

  async mergeBranch(request: MergeBranchRequest): Promise<BranchMergeOutcome> {
    const { source, sourceHead, target, isSquashed, message, atMs } = request;
    if (!isOid(sourceHead)) return { kind: "source-moved" };
    const marker = markerRef(request.marker);
    const outcome = await this.#loop.run(
      {
        target: branchRef(target),
        source: { ref: branchRef(source), head: sourceHead },
        marker,
        isSquashed,
        message,
        author: this.#author,
        atMs,
      },
      request.check ?? (async () => ({ kind: "passed" })),
    );
    if (outcome.kind === "landed") this.#landed.set(marker, outcome.commit);
    return withConflictInfo(outcome);
  }

  async deleteBranch(name: string, expectedHead: string, landedWith: LandingMarker): Promise<void> {
    const marker = markerRef(landedWith);
    const landed = this.#landed.get(marker);
    const from = expectedHead as Oid;
    const ref = branchRef(name);
    if (landed === undefined) return await this.#deleteLanded(name, from, landedWith);
    await this.#refuseCheckedOut(name);
    const deleted = await this.#repository.change([
      { kind: "verify", ref: marker, at: landed },
      { kind: "delete", ref, from },
    ]);
    if (deleted.kind === "moved") await this.#deleteLanded(name, from, landedWith);
  }

  async getBranchStatus(name: string): Promise<BranchStatus> {
    return { name, head: await resolveRef(this.#repository, branchRef(name)) };
  }

  async hasConflicts(source: string, target: string): Promise<boolean> {
    return (await this.#merge(source, target)).kind === "conflict";
  }

  async getConflicts(source: string, target: string): Promise<ConflictInfo> {
    const merged = await this.#merge(source, target);
    return { files: merged.kind === "conflict" ? merged.conflicts : [] };
  }

  async #merge(source: string, target: string): Promise<MergedTrees> {
    return await this.#repository.merge(await this.#head(target), await this.#head(source));
  }

  /** Deletes a branch after reading what is known about it. */
  async #deleteLanded(name: string, from: Oid, landedWith: LandingMarker): Promise<void> {
    const [ref, marker] = [branchRef(name), markerRef(landedWith)];
    const found = await this.#repository.resolveAll([ref, marker]);
    const head = found.get(ref);
    if (head === undefined) return;
    const hasLanded = found.has(marker) || (await this.#hasMerged(name, from));
    if (!hasLanded && !(await this.#hasNoWork(name, from, landedWith)))
      throw new CodeError("BRANCH_NOT_LANDED", `\`${name}\` is not deleted: its work has not landed as ${marker}`);
    if (head !== from)
      throw new CodeError("BRANCH_NOT_LANDED", `\`${name}\` is not deleted: it is at ${head}, not at ${from}`);
    await this.#refuseCheckedOut(name);
    const deleted = await this.#repository.change([{ kind: "delete", ref, from }]);
    if (deleted.kind === "moved") throw new CodeError("BRANCH_NOT_LANDED", `\`${name}\` moved and is not deleted`);
  }

  /** Whether a pull request from a branch was merged with this head. */
  async #hasMerged(branch: string, head: Oid): Promise<boolean> {
    const pullRequests = await this.#repository.resolveAll([`${sourceRefs(branch)}/`]);
    return [...pullRequests].some(([ref, oid]) => ref.endsWith("/head") && oid === head);
  }

  /** Whether all commits of a task's branch are in the branch of its workflow. */
  async #hasNoWork(branch: string, head: Oid, { workflowId }: LandingMarker): Promise<boolean> {
    const target = workflowBranch(workflowId);
    const onto = branch === target ? undefined : await resolveRef(this.#repository, branchRef(target));
    return onto !== undefined && (await this.#repository.isAncestor(head, onto));
  }

  async #head(branch: string): Promise<Oid> {
    const head = await resolveRef(this.#repository, branchRef(branch));
    if (head === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${branch}\` does not exist`);
    return head;
  }

  async #refuseCheckedOut(branch: string): Promise<void> {
    const checkout = await this.#repository.findCheckout(branchRef(branch));
    if (checkout === undefined) return;
    const reason = typeof checkout === "string" ? checkout : `\`${branch}\` is checked out in ${checkout.folder}`;
    throw new CodeError("BRANCH_CHECKED_OUT", reason);
  }
}

function markerRef({ workflowId, name }: LandingMarker): RefName {
  return landedRef(workflowId, name);
}

function withConflictInfo(outcome: MergeOutcome): BranchMergeOutcome {
  if (outcome.kind !== "conflict") return outcome;
  return { ...outcome, conflicts: { files: outcome.conflicts } };
}

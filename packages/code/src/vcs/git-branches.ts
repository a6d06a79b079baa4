// Branches of a git repository.

import { CodeError } from "../errors/code-error.ts";
import { branchRef, landedRef, workflowBranch, type RefName } from "../git/branch-names.ts";
import { findCheckouts } from "../git/checkouts.ts";
import { mergeTrees } from "../git/merge-trees.ts";
import { ENGINE_IDENTITY, type Identity, type ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import { changeRefs } from "../git/ref-transaction.ts";
import type { Repository } from "../git/repository.ts";
import type { ConflictInfo } from "../model/merge-result.ts";
import type { Branches, BranchMergeOutcome, BranchStatus, LandingMarker, MergeBranchRequest } from "./branches.ts";
import { MergeLoop, type MergeOutcome } from "./merge-loop.ts";
import { sourceRefs } from "./pull-request-refs.ts";

export interface GitBranchesOptions {
  /** The author of merge commits. */
  readonly author?: Identity;
}

export class GitBranches implements Branches {
  readonly #repository: Repository;
  readonly #objects: ObjectGit;
  readonly #author: Identity;
  readonly #loop: MergeLoop;
  /** Markers that this process has seen. A marker is never changed. */
  readonly #landed = new Map<RefName, Oid>();

  constructor(repository: Repository, objects: ObjectGit, options: GitBranchesOptions = {}) {
    this.#repository = repository;
    this.#objects = objects;
    this.#author = options.author ?? ENGINE_IDENTITY;
    this.#loop = new MergeLoop(repository, objects);
  }

  async createBranch(name: string, from: string): Promise<string> {
    const ref = branchRef(name);
    const existing = await this.#repository.resolve(ref);
    if (existing === undefined) {
      const start = isOid(from) ? from : await this.#head(from);
      const created = await changeRefs(this.#repository, [{ kind: "create", ref, to: start }]);
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
    const deleted = await changeRefs(this.#repository, [
      { kind: "verify", ref: marker, at: landed },
      { kind: "delete", ref, from },
    ]);
    if (deleted.kind === "moved") await this.#deleteLanded(name, from, landedWith);
  }

  async getBranchStatus(name: string): Promise<BranchStatus> {
    return { name, head: await this.#repository.resolve(branchRef(name)) };
  }

  async hasConflicts(source: string, target: string): Promise<boolean> {
    return (await this.#merge(source, target)).kind === "conflict";
  }

  async getConflicts(source: string, target: string): Promise<ConflictInfo> {
    const merged = await this.#merge(source, target);
    return { files: merged.kind === "conflict" ? merged.conflicts : [] };
  }

  async #merge(source: string, target: string): ReturnType<typeof mergeTrees> {
    return await mergeTrees(this.#objects, await this.#head(target), await this.#head(source));
  }

  /** Deletes a branch after reading what is known about it. */
  async #deleteLanded(name: string, from: Oid, landedWith: LandingMarker): Promise<void> {
    const [ref, marker] = [branchRef(name), markerRef(landedWith)];
    const target = workflowBranch(landedWith.workflowId);
    const pullRequests = sourceRefs(name);
    const found = await this.#repository.resolveAll([marker, ref, pullRequests]);
    const head = found.get(ref);
    if (head === undefined) return;
    const hasMerged = [...found].some(
      ([each, oid]) => each.startsWith(`${pullRequests}/`) && each.endsWith("/head") && oid === from,
    );
    if (!found.has(marker) && !hasMerged && (name === target || !(await this.#isPartOf(from, target))))
      throw new CodeError("BRANCH_NOT_LANDED", `\`${name}\` is not deleted: its work has not landed as ${marker}`);
    if (head !== from)
      throw new CodeError("BRANCH_NOT_LANDED", `\`${name}\` is not deleted: it is at ${head}, not at ${from}`);
    await this.#refuseCheckedOut(name);
    const deleted = await changeRefs(this.#repository, [{ kind: "delete", ref, from }]);
    if (deleted.kind === "moved") throw new CodeError("BRANCH_NOT_LANDED", `\`${name}\` moved and is not deleted`);
  }

  async #isPartOf(commit: Oid, branch: string): Promise<boolean> {
    const head = await this.#repository.resolve(branchRef(branch));
    if (head === undefined) return false;
    return (await this.#objects.run(["merge-base", "--is-ancestor", commit, head])).exitCode === 0;
  }

  async #head(branch: string): Promise<Oid> {
    const head = await this.#repository.resolve(branchRef(branch));
    if (head === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${branch}\` does not exist`);
    return head;
  }

  async #refuseCheckedOut(branch: string): Promise<void> {
    const [checkout] = await findCheckouts(this.#repository, branch);
    if (checkout !== undefined)
      throw new CodeError("BRANCH_CHECKED_OUT", `\`${branch}\` is checked out in ${checkout.folder}`);
  }
}

function markerRef({ workflowId, name }: LandingMarker): RefName {
  return landedRef(workflowId, name);
}

function withConflictInfo(outcome: MergeOutcome): BranchMergeOutcome {
  if (outcome.kind !== "conflict") return outcome;
  return { ...outcome, conflicts: { files: outcome.conflicts } };
}

// Local branches by the building blocks of the package, for tests of GitHub.

import { CodeError } from "../../src/errors/code-error.ts";
import { branchRef, landedRef } from "../../src/git/branch-names.ts";
import { land } from "../../src/git/landing.ts";
import { mergeTrees } from "../../src/git/merge-trees.ts";
import type { ObjectGit } from "../../src/git/object-git.ts";
import type { Oid } from "../../src/git/oid.ts";
import { changeRefs } from "../../src/git/ref-transaction.ts";
import type { Repository } from "../../src/git/repository.ts";
import type { ConflictInfo } from "../../src/model/merge-result.ts";
import type {
  Branches,
  BranchMergeOutcome,
  BranchStatus,
  LandingMarker,
  MergeBranchRequest,
} from "../../src/vcs/branches.ts";

export class PlainBranches implements Branches {
  readonly #repository: Repository;
  readonly #objects: ObjectGit;

  constructor(repository: Repository, objects: ObjectGit) {
    this.#repository = repository;
    this.#objects = objects;
  }

  async createBranch(name: string, from: string): Promise<string> {
    const to = (await this.#repository.resolve(branchRef(from)))!;
    await changeRefs(this.#repository, [{ kind: "create", ref: branchRef(name), to }]);
    return (await this.#repository.resolve(branchRef(name)))!;
  }

  async mergeBranch(request: MergeBranchRequest): Promise<BranchMergeOutcome> {
    const { source, target, marker, message, atMs } = request;
    const sourceHead = request.sourceHead as Oid;
    const onto = (await this.#repository.resolve(branchRef(target)))!;
    const merged = await mergeTrees(this.#objects, onto, sourceHead);
    const author = { name: "engine", email: "engine@example.com" };
    const parents = [onto, sourceHead];
    const commit = await this.#objects.commit({ tree: merged.tree, parents, message, author, atMs });
    const outcome = await land(this.#repository, {
      target: { ref: branchRef(target), head: onto },
      source: { ref: branchRef(source), head: sourceHead },
      commit,
      marker: landedRef(marker.workflowId, marker.name),
    });
    if (outcome.kind === "target-moved") throw new Error("the target moved");
    return outcome;
  }

  async deleteBranch(name: string, expectedHead: string, { workflowId, name: task }: LandingMarker): Promise<void> {
    const ref = branchRef(name);
    if ((await this.#repository.resolve(ref)) === undefined) return;
    if ((await this.#repository.resolve(landedRef(workflowId, task))) === undefined)
      throw new CodeError("BRANCH_NOT_LANDED", `\`${name}\` has not landed`);
    await changeRefs(this.#repository, [{ kind: "delete", ref, from: expectedHead as Oid }]);
  }

  async getBranchStatus(name: string): Promise<BranchStatus> {
    return { name, head: await this.#repository.resolve(branchRef(name)) };
  }

  async hasConflicts(source: string, target: string): Promise<boolean> {
    return (await this.getConflicts(source, target)).files.length > 0;
  }

  async getConflicts(source: string, target: string): Promise<ConflictInfo> {
    const [theirs, ours] = await Promise.all([source, target].map((name) => this.#repository.resolve(branchRef(name))));
    const merged = await mergeTrees(this.#objects, ours!, theirs!);
    return { files: merged.kind === "conflict" ? [{ path: "?", messages: [] }] : [] };
  }
}

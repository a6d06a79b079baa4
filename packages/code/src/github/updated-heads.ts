// The heads of pull requests whose target has moved: the work with the target merged into it.
//
//   UH1. A forge merges the head of a pull request into whatever its target is then. Only if the head contains the target,
//        the files that were checked are the files that land (CODE-5).
//   UH2. The new head exists on the forge only. The branch of the task stays as it is, and a ref of the pull request says
//        which head the forge has, so a crash changes nothing.
//   UH3. An agent can write refs. Such a head counts only if each of its commits after the work is the merge, without a
//        conflict, of the commit before it and a commit of the target.

import { CodeError } from "../errors/code-error.ts";
import { mergeTrees } from "../git/merge-trees.ts";
import { ENGINE_IDENTITY, type ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import { changeRefs } from "../git/ref-transaction.ts";
import type { Repository } from "../git/repository.ts";
import type { MergedCommit } from "../vcs/branches.ts";
import { pullRequestRefs, sourceRefs, type PullRequestBranches } from "../vcs/pull-request-refs.ts";

export interface UpdatedHead {
  /** The head of the work and the heads that were made of it, the newest last. */
  readonly heads: readonly [Oid, ...Oid[]];
  /** Undefined if the forge does not have the target. */
  readonly merge: MergedCommit | "conflict" | undefined;
  /** The head of other work of the engine that the forge may still have. */
  readonly replaced: Oid | undefined;
}

const UPDATES_MAX = 1000;

interface Chain {
  /** From the work to the newest head; empty if the newest head has nothing to do with the work. */
  readonly heads: readonly Oid[];
  /** The commits of the target that were merged. */
  readonly targets: readonly Oid[];
}

export class UpdatedHeads {
  readonly #repository: Repository;
  readonly #objects: ObjectGit;

  constructor(repository: Repository, objects: ObjectGit) {
    this.#repository = repository;
    this.#objects = objects;
  }

  /** The head of the work and the heads that were made of it. */
  async find(branches: PullRequestBranches, work: Oid): Promise<readonly [Oid, ...Oid[]]> {
    const { heads } = await this.#chain(await this.#recorded(branches), work);
    return heads[0] === work ? [work, ...heads.slice(1)] : [work];
  }

  /** Merges the head of the target into the work, unless the newest head contains it. */
  async update(branches: PullRequestBranches, work: Oid, target: Oid | undefined): Promise<UpdatedHead> {
    const recorded = await this.#recorded(branches);
    if (target === undefined) return { heads: [work], merge: undefined, replaced: undefined };
    const { heads, targets } = await this.#chain(recorded, work);
    const isGenuine = heads.length > 0 && (await this.#containsAll(target, targets));
    const known: readonly [Oid, ...Oid[]] = isGenuine && heads[0] === work ? [work, ...heads.slice(1)] : [work];
    const head = known.at(-1)!;
    const replaced = isGenuine && heads[0] !== work ? recorded : undefined;
    if (await this.#contains(head, target))
      return { heads: known, merge: { commit: head, tree: await this.#objects.tree(head), onto: target }, replaced };
    const merged = await mergeTrees(this.#objects, head, target);
    if (merged.kind === "conflict") return { heads: known, merge: "conflict", replaced };
    const commit = await this.#commit(branches, head, target, merged.tree);
    await this.#record(branches, recorded, commit);
    return { heads: [...known, commit], merge: { commit, tree: merged.tree, onto: target }, replaced };
  }

  /** The heads that were made of a branch. */
  async ofBranch(source: string): Promise<readonly Oid[]> {
    const found = await this.#repository.listRefs(sourceRefs(source));
    return [...found].filter(([ref]) => ref.endsWith("/updated")).map(([, head]) => head);
  }

  async #recorded(branches: PullRequestBranches): Promise<Oid | undefined> {
    return await this.#repository.resolve(pullRequestRefs(branches).updated);
  }

  async #record(branches: PullRequestBranches, from: Oid | undefined, to: Oid): Promise<void> {
    const ref = pullRequestRefs(branches).updated;
    const change =
      from === undefined ? ({ kind: "create", ref, to } as const) : ({ kind: "update", ref, from, to } as const);
    if ((await changeRefs(this.#repository, [change])).kind === "moved")
      throw new CodeError("GIT_FAILED", `another process merges \`${branches.source}\``);
  }

  /** UH3. Ends at the work, or at a commit that the work contains. */
  async #chain(newest: Oid | undefined, work: Oid): Promise<Chain> {
    const heads: Oid[] = [];
    const targets: Oid[] = [];
    for (let head = newest; head !== undefined && heads.length < UPDATES_MAX;) {
      heads.unshift(head);
      if (head === work || (await this.#contains(work, head))) return { heads, targets };
      const [before, target, ...more] = await this.#parents(head);
      if (before === undefined || target === undefined || more.length > 0) break;
      const merged = await mergeTrees(this.#objects, before, target);
      if (merged.kind === "conflict" || merged.tree !== (await this.#objects.tree(head))) break;
      targets.push(target);
      head = before;
    }
    return { heads: [], targets: [] };
  }

  /** The time is that of the target, so that the same merge made again is the same commit. */
  async #commit({ source, target }: PullRequestBranches, head: Oid, onto: Oid, tree: Oid): Promise<Oid> {
    const seconds = Number(await this.#objects.text(["log", "-1", "--format=%ct", onto]));
    const message = `Merge ${target} into ${source}\n`;
    const author = ENGINE_IDENTITY;
    return await this.#objects.commit({ tree, parents: [head, onto], message, author, atMs: seconds * 1000 });
  }

  async #parents(commit: Oid): Promise<readonly Oid[]> {
    const text = await this.#objects.text(["log", "-1", "--format=%P", commit]);
    return text.split(" ").filter(isOid);
  }

  async #containsAll(commit: Oid, ancestors: readonly Oid[]): Promise<boolean> {
    for (const ancestor of ancestors) if (!(await this.#contains(commit, ancestor))) return false;
    return true;
  }

  async #contains(commit: Oid, ancestor: Oid): Promise<boolean> {
    const { exitCode, stderr } = await this.#objects.run(["merge-base", "--is-ancestor", ancestor, commit]);
    if (exitCode > 1) throw new CodeError("GIT_FAILED", `\`git merge-base\` ended with ${exitCode}: ${stderr.trim()}`);
    return exitCode === 0;
  }
}

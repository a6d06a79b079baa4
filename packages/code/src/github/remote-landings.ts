// Keeps the branches that pull requests are merged into the same here and on GitHub, and records the landings.
//
//   RL1. A merge on GitHub is fetched, then one ref transaction moves the local target to it, records the head that was
//        merged, and creates the marker of the landing (CODE-6). Both may be repeated.
//   RL2. A branch only moves forward. The base branch of the user is not pushed, and it stays where it is if a folder has it
//        checked out or if it has commits of its own; the user pulls it. The branch of a workflow belongs to the engine: if
//        it differs on both sides, that is an error, because later tasks start from it.

import { CodeError } from "../errors/code-error.ts";
import { branchRef, landedRef, type RefName } from "../git/branch-names.ts";
import { findCheckouts } from "../git/checkouts.ts";
import { mergeTrees } from "../git/merge-trees.ts";
import { ENGINE_IDENTITY, type ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import { changeRefs, type RefChange } from "../git/ref-transaction.ts";
import type { Repository } from "../git/repository.ts";
import type { LandingMarker } from "../vcs/branches.ts";
import { pullRequestRefs, type PullRequestBranches } from "../vcs/pull-request-refs.ts";
import type { FoundConflict } from "../vcs/pull-requests.ts";
import { ForgeError } from "./forge-error.ts";
import type { RemoteRepository } from "./remote-repository.ts";

const WORKFLOW = /^workflow\//u;
const ROUNDS_MAX = 100;

interface LandingRecord {
  readonly ref: RefName;
  readonly to: Oid;
}

interface MergedPull extends PullRequestBranches {
  /** The head of the source that was merged. */
  readonly head: string;
  readonly commit: string;
}

export class RemoteLandings {
  readonly #repository: Repository;
  readonly #objects: ObjectGit;
  readonly #remote: RemoteRepository;

  constructor(repository: Repository, objects: ObjectGit, remote: RemoteRepository) {
    this.#repository = repository;
    this.#objects = objects;
    this.#remote = remote;
  }

  /**
   * Makes the target of a pull request the same here and on GitHub, if it is the branch of a workflow. Returns its head on
   * GitHub, if that is known afterwards.
   */
  async sync(target: string): Promise<Oid | undefined> {
    const local = WORKFLOW.test(target) ? await this.#repository.resolve(branchRef(target)) : undefined;
    if (local === undefined) return undefined;
    const remote = await this.#remote.head(target);
    if (remote === local) return remote;
    if (remote === undefined) {
      // Another task of the workflow may create it with another head.
      await this.#remote.create(target, local);
      return undefined;
    }
    await this.#remote.fetch(remote, [local]);
    if (await this.#contains(local, remote)) {
      await this.#remote.push(target, local);
      return local;
    }
    await this.#advance(target, remote, []);
    return remote;
  }

  /** Makes the target of a pull request the same on both sides. Returns its head on GitHub, with its commits here. */
  async syncHead(target: string): Promise<Oid | undefined> {
    const head = (await this.sync(target)) ?? (await this.#remote.head(target));
    if (head === undefined || (await this.#exists(head))) return head;
    const local = await this.#repository.resolve(branchRef(target));
    await this.#remote.fetch(head, local === undefined ? [] : [local]);
    return head;
  }

  /** Brings a merge that was made on GitHub into the local repository. */
  async adopt({ source, target, head, commit }: MergedPull, marker: LandingMarker | undefined): Promise<void> {
    if (!isOid(commit) || !isOid(head)) throw new ForgeError("FORGE_FAILED", `GitHub named ${commit} as a commit`);
    const local = await this.#repository.resolveAll([branchRef(source), branchRef(target)]);
    await this.#remote.fetch(commit, [...local.values()]);
    const records: LandingRecord[] =
      marker === undefined ? [] : [{ ref: landedRef(marker.workflowId, marker.name), to: commit }];
    // Commits that a person added on GitHub before the merge are not here after a squash.
    if (await this.#exists(head)) records.push({ ref: pullRequestRefs({ source, target }).head, to: head });
    await this.#advance(target, commit, records);
  }

  /** The conflict of work with a branch as GitHub has it. The branch here may be older: the base branch is the user's. */
  async findConflict(source: string, head: Oid, target: string): Promise<FoundConflict | undefined> {
    const onto = await this.#remote.head(target);
    if (onto === undefined) return undefined;
    await this.#remote.fetch(onto, [head]);
    const merged = await mergeTrees(this.#objects, onto, head);
    if (merged.kind === "clean") return undefined;
    const { tree, conflicts } = merged;
    // The time is fixed, so that the same conflict gives the same commit.
    const marked = {
      tree,
      parents: [head, onto],
      message: `Conflicts of ${source}\n`,
      author: ENGINE_IDENTITY,
      atMs: 0,
    };
    return { onto, commit: await this.#objects.commit(marked), conflicts: { files: conflicts } };
  }

  async #advance(target: string, commit: Oid, records: readonly LandingRecord[]): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) if (await this.#tryAdvance(target, commit, records)) return;
    throw new CodeError("GIT_FAILED", `\`${target}\` moved ${ROUNDS_MAX} times`);
  }

  /** False if a ref moved meanwhile. */
  async #tryAdvance(target: string, commit: Oid, records: readonly LandingRecord[]): Promise<boolean> {
    const changes: RefChange[] = [];
    const move = await this.#move(target, commit);
    if (move !== undefined) changes.push(move);
    for (const { ref, to } of records)
      if ((await this.#repository.resolve(ref)) === undefined) changes.push({ kind: "create", ref, to });
    if (changes.length === 0) return true;
    return (await changeRefs(this.#repository, changes)).kind === "committed";
  }

  async #move(target: string, commit: Oid): Promise<RefChange | undefined> {
    const ref = branchRef(target);
    const head = await this.#repository.resolve(ref);
    if (head === undefined || (await this.#contains(head, commit))) return undefined;
    const isForward = await this.#contains(commit, head);
    const isCheckedOut = (await findCheckouts(this.#repository, target)).length > 0;
    if (isForward && !isCheckedOut) return { kind: "update", ref, from: head, to: commit };
    if (WORKFLOW.test(target))
      throw new CodeError(
        "GIT_FAILED",
        `\`${target}\` cannot move to ${commit}, because it ${isForward ? "is checked out" : "has other commits"}`,
      );
    return undefined;
  }

  async #contains(commit: Oid, ancestor: Oid): Promise<boolean> {
    const { exitCode, stderr } = await this.#objects.run(["merge-base", "--is-ancestor", ancestor, commit]);
    if (exitCode > 1) throw new CodeError("GIT_FAILED", `\`git merge-base\` ended with ${exitCode}: ${stderr.trim()}`);
    return exitCode === 0;
  }

  async #exists(commit: Oid): Promise<boolean> {
    return (await this.#objects.run(["cat-file", "-e", `${commit}^{commit}`])).exitCode === 0;
  }
}

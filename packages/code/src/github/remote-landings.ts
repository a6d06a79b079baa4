// Keeps the branches that pull requests are merged into the same here and on GitHub, and records the landings.
//
//   RL1. A merge on GitHub is fetched, then one ref transaction moves the local target to it and creates the marker of the
//        landing (CODE-6). Both may be repeated.
//   RL2. A branch only moves forward. The base branch of the user is not pushed, and it stays where it is if a folder has it
//        checked out or if it has commits of its own; the user pulls it. The branch of a workflow belongs to the engine: if
//        it differs on both sides, that is an error, because later tasks start from it.

import { CodeError } from "../errors/code-error.ts";
import { branchRef, landedRef, type RefName } from "../git/branch-names.ts";
import type { ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import { changeRefs, type RefChange } from "../git/ref-transaction.ts";
import type { Repository } from "../git/repository.ts";
import { ForgeError } from "./forge-error.ts";
import type { RemoteRepository } from "./remote-repository.ts";

const WORKFLOW = /^workflow\/(?<workflowId>.+)$/u;
const ROUNDS_MAX = 100;

interface MergedBranches {
  readonly source: string;
  readonly target: string;
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

  /** Makes the target of a pull request the same here and on GitHub, if it is the branch of a workflow. */
  async sync(target: string): Promise<void> {
    const local = WORKFLOW.test(target) ? await this.#repository.resolve(branchRef(target)) : undefined;
    if (local === undefined) return;
    const remote = await this.#remote.head(target);
    if (remote === undefined) return await this.#remote.create(target, local);
    if (remote === local) return;
    await this.#remote.fetch(remote, [local]);
    if (await this.#contains(local, remote)) await this.#remote.push(target, local);
    else await this.#advance(target, remote, undefined);
  }

  /** Brings a merge that was made on GitHub into the local repository. */
  async adopt(branches: MergedBranches, commit: string): Promise<void> {
    if (!isOid(commit)) throw new ForgeError("FORGE_FAILED", `GitHub named ${JSON.stringify(commit)} as a commit`);
    const marker = markerOf(branches);
    if (marker !== undefined && (await this.#repository.resolve(marker)) === commit) return;
    const { source, target } = branches;
    const heads = await Promise.all([source, target].map((branch) => this.#repository.resolve(branchRef(branch))));
    const known = heads.filter((head) => head !== undefined);
    await this.#remote.fetch(commit, known);
    await this.#advance(target, commit, marker);
  }

  async #advance(target: string, commit: Oid, marker: RefName | undefined): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) if (await this.#tryAdvance(target, commit, marker)) return;
    throw new CodeError("GIT_FAILED", `\`${target}\` moved ${ROUNDS_MAX} times`);
  }

  /** False if a ref moved meanwhile. */
  async #tryAdvance(target: string, commit: Oid, marker: RefName | undefined): Promise<boolean> {
    const changes: RefChange[] = [];
    const move = await this.#move(target, commit);
    if (move !== undefined) changes.push(move);
    if (marker !== undefined && (await this.#repository.resolve(marker)) === undefined)
      changes.push({ kind: "create", ref: marker, to: commit });
    if (changes.length === 0) return true;
    return (await changeRefs(this.#repository, changes)).kind === "committed";
  }

  async #move(target: string, commit: Oid): Promise<RefChange | undefined> {
    const ref = branchRef(target);
    const head = await this.#repository.resolve(ref);
    if (head === undefined || (await this.#contains(head, commit))) return undefined;
    const isForward = await this.#contains(commit, head);
    if (isForward && !(await this.#isCheckedOut(ref))) return { kind: "update", ref, from: head, to: commit };
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

  async #isCheckedOut(ref: RefName): Promise<boolean> {
    const text = await this.#repository.text(["worktree", "list", "--porcelain", "-z"]);
    return text.split("\0").includes(`branch ${ref}`);
  }
}

/** The marker of a landing by the names of its branches (CODE-3); undefined if they are not those of a workflow. */
function markerOf({ source, target }: MergedBranches): RefName | undefined {
  const ofTarget = WORKFLOW.exec(target)?.groups?.["workflowId"];
  if (ofTarget !== undefined && source.startsWith(`task/${ofTarget}-`))
    return landedRef(ofTarget, source.slice(`task/${ofTarget}-`.length));
  const ofSource = WORKFLOW.exec(source)?.groups?.["workflowId"];
  return ofSource === undefined ? undefined : landedRef(ofSource, "workflow");
}

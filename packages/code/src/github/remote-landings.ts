// Brings a merge that was made on GitHub into the local repository.
//
//   RL1. The commit is fetched, then one ref transaction moves the local target to it and creates the marker of the landing
//        (CODE-6). Both may be repeated.
//   RL2. The local target only moves forward, and not if a folder of the user has it checked out. The base branch then stays
//        as it is, and the user pulls it. The branch of a workflow has to move, because later tasks start from it.

import { CodeError } from "../errors/code-error.ts";
import { branchRef, landedRef, type RefName } from "../git/branch-names.ts";
import type { ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import { changeRefs, type RefChange } from "../git/ref-transaction.ts";
import type { Repository } from "../git/repository.ts";
import type { LandingMarker } from "../vcs/branches.ts";
import { ForgeError } from "./forge-error.ts";
import type { RemoteRepository } from "./remote-repository.ts";

const WORKFLOW = /^workflow\/(?<workflowId>.+)$/u;
const ROUNDS_MAX = 100;

export interface MergedBranches {
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

  async adopt(branches: MergedBranches, commit: string): Promise<void> {
    if (!isOid(commit)) throw new ForgeError("FORGE_FAILED", `GitHub named ${JSON.stringify(commit)} as a commit`);
    const marker = landedWith(branches);
    if (marker !== undefined && (await this.#repository.resolve(marker)) === commit) return;
    await this.#fetch(branches, commit);
    for (let round = 0; round < ROUNDS_MAX; round++) if (await this.#tryLand(branches, commit, marker)) return;
    throw new CodeError("GIT_FAILED", `\`${branches.target}\` moved ${ROUNDS_MAX} times`);
  }

  async #fetch({ source, target }: MergedBranches, commit: Oid): Promise<void> {
    const heads = await Promise.all([source, target].map((branch) => this.#repository.resolve(branchRef(branch))));
    await this.#remote.fetch(
      commit,
      heads.filter((head) => head !== undefined),
    );
  }

  /** False if a ref moved meanwhile. */
  async #tryLand({ target }: MergedBranches, commit: Oid, marker: RefName | undefined): Promise<boolean> {
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
        `\`${target}\` cannot move to ${commit}, because ${isForward ? "it is checked out" : "it has other commits"}`,
      );
    return undefined;
  }

  async #contains(commit: Oid, ancestor: Oid): Promise<boolean> {
    const args = ["merge-base", "--is-ancestor", ancestor, commit];
    const { exitCode, stderr } = await this.#objects.run(args);
    if (exitCode > 1) throw new CodeError("GIT_FAILED", `\`git merge-base\` ended with ${exitCode}: ${stderr.trim()}`);
    return exitCode === 0;
  }

  async #isCheckedOut(ref: RefName): Promise<boolean> {
    const text = await this.#repository.text(["worktree", "list", "--porcelain", "-z"]);
    return text.split("\0").includes(`branch ${ref}`);
  }
}

/** The marker of a landing by the names of its branches (CODE-3); undefined if they are not those of a workflow. */
function landedWith({ source, target }: MergedBranches): RefName | undefined {
  const marker = landingOf(source, target);
  return marker === undefined ? undefined : landedRef(marker.workflowId, marker.name);
}

function landingOf(source: string, target: string): LandingMarker | undefined {
  const ofTarget = WORKFLOW.exec(target)?.groups?.["workflowId"];
  const ofSource = WORKFLOW.exec(source)?.groups?.["workflowId"];
  if (ofTarget !== undefined && source.startsWith(`task/${ofTarget}-`))
    return { workflowId: ofTarget, name: source.slice(`task/${ofTarget}-`.length) };
  return ofSource === undefined ? undefined : { workflowId: ofSource, name: "workflow" };
}

// A worktree: the folder in which the agent of one task works, and the branch of that task.
//
//   W1. A worktree is created from a commit id and gets no upstream: git then writes nothing to the shared
//       configuration, on whose lock parallel creations would fail.
//   W2. Its files are written without the repository's filters (`object-git.ts`).
//   W3. It is locked while it exists, so that `git worktree prune` never removes it.
//   W4. The engine has an index of its own for each worktree, because an agent can change the worktree's index, for example
//       to hide changes. It is lost when the process ends; then it is built again from the base.
//   W5. It is removed only by its administrative entry, after its owner has checked that nothing is lost. Removal does not
//       follow links.

import { copyFile, mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { branchRef } from "./branch-names.ts";
import { gitFailed } from "./git.ts";
import type { ObjectGit } from "./object-git.ts";
import type { Oid } from "./oid.ts";
import type { Repository } from "./repository.ts";

export interface WorktreePlace {
  readonly path: string;
  readonly branch: string;
  /** The commit that the task starts from. */
  readonly base: Oid;
}

export interface IndexOptions {
  readonly env: { readonly GIT_INDEX_FILE: string; readonly GIT_WORK_TREE: string };
  readonly cwd: string;
}

export class Worktree {
  readonly path: string;
  readonly branch: string;
  readonly base: Oid;
  /** The worktree's own git directory, inside that of the repository. */
  readonly gitDir: string;
  readonly #repository: Repository;
  readonly #objects: ObjectGit;

  private constructor(repository: Repository, objects: ObjectGit, place: WorktreePlace, gitDir: string) {
    this.#repository = repository;
    this.#objects = objects;
    this.path = place.path;
    this.branch = place.branch;
    this.base = place.base;
    this.gitDir = gitDir;
  }

  static async create(repository: Repository, objects: ObjectGit, place: WorktreePlace): Promise<Worktree> {
    const { path, branch, base } = place;
    await mkdir(dirname(path), { recursive: true });
    const args = ["worktree", "add", "--quiet", "--no-checkout", "--lock", "--reason", "a Segno task"];
    const added = await repository.run([...args, "--no-track", "-b", branch, path, base]);
    if (added.exitCode !== 0) await reuseBranch(repository, [...args, path, branch], place, gitFailed(args, added));
    const worktree = new Worktree(repository, objects, place, await findGitDir(path));
    await worktree.checkout(base);
    return worktree;
  }

  /**
   * Makes the files those of a commit. Files that our index contains and the commit does not are removed; ignored files
   * stay.
   */
  async checkout(commit: Oid): Promise<void> {
    const options = this.#ownIndex();
    await this.#objects.text(["read-tree", "-u", "--reset", commit], options);
    // The agent sees the same index.
    await copyFile(options.env.GIT_INDEX_FILE, join(this.gitDir, "index"));
  }

  /** Options for git that use the files and our index of them (W4). */
  async indexOptions(): Promise<IndexOptions> {
    const options = this.#ownIndex();
    const isThere = (await stat(options.env.GIT_INDEX_FILE).catch(() => undefined)) !== undefined;
    if (!isThere) await this.#objects.text(["read-tree", this.base], options);
    return options;
  }

  #ownIndex(): IndexOptions {
    return {
      env: { GIT_INDEX_FILE: this.#objects.indexFile(this.branch), GIT_WORK_TREE: this.path },
      cwd: this.path,
    };
  }

  /** Whether the `.git` file still points to this worktree. */
  async isIntact(): Promise<boolean> {
    try {
      return (await findGitDir(this.path)) === this.gitDir;
    } catch {
      return false;
    }
  }

  /** Removes the folder and its entry, with everything in it (W5). The branch stays. */
  async remove(): Promise<void> {
    const args = ["worktree", "remove", "--force", "--force", this.path];
    const result = await this.#repository.run(args);
    if (result.exitCode === 0) return;
    // Git refuses to remove a worktree whose `.git` file was changed.
    await rm(this.path, { recursive: true, force: true });
    await rm(this.gitDir, { recursive: true, force: true });
    const { stdout } = await this.#repository.run(["worktree", "list", "--porcelain", "-z"]);
    if (stdout.toString("utf8").split("\0").includes(`worktree ${this.path}`)) throw gitFailed(args, result);
  }
}

/** A creation that was interrupted leaves its branch behind. It is used again if nothing was added to it. */
async function reuseBranch(
  repository: Repository,
  args: readonly string[],
  { branch, base }: WorktreePlace,
  failure: Error,
): Promise<void> {
  if ((await repository.resolve(branchRef(branch))) !== base) throw failure;
  await repository.text(args);
}

/** Reads the `.git` file of a worktree: one line, `gitdir: <path>`. */
async function findGitDir(path: string): Promise<string> {
  const text = await readFile(join(path, ".git"), "utf8");
  return text.replace(/^gitdir: /u, "").replace(/\n$/u, "");
}

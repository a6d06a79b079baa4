// A folder in which an agent works on one branch: its files, and our own index of them.
//
//   F1. Its files are written and read without the repository's filters (`object-git.ts`).
//   F2. The engine has an index of its own for each folder, because an agent can change the folder's index, for example to
//       hide changes. It is lost when the process ends; then it is built again from the commit the agent started from.
//   F3. Nothing of the folder is trusted: paths in it may have been replaced by links.

import { randomUUID } from "node:crypto";
import { lstat, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import { copyIndex } from "./index-copy.ts";
import type { IndexOptions } from "./index-options.ts";
import { listNested, skipNested } from "./nested-repositories.ts";
import type { ObjectGit } from "./object-git.ts";
import type { Oid } from "./oid.ts";
import type { Repository } from "./repository.ts";

export interface FolderPlace {
  readonly path: string;
  readonly branch: string;
  /** The commit that the task starts from. */
  readonly base: Oid;
}

/** Makes a branch that exists already begin at the base, or throws. */
export type BranchClaim = (branch: string, head: Oid, base: Oid) => Promise<void>;

/** Accepts a branch only if it is at the base. */
export const claimAtBase: BranchClaim = async (branch, head, base) => {
  if (head !== base) throw new CodeError("GIT_FAILED", `the branch \`${branch}\` is at ${head}, not at ${base}`);
};

export abstract class AgentFolder {
  readonly path: string;
  readonly branch: string;
  readonly base: Oid;
  /** The git directory that git uses in this folder. */
  readonly gitDir: string;
  protected readonly repository: Repository;
  protected readonly objects: ObjectGit;

  protected constructor(repository: Repository, objects: ObjectGit, place: FolderPlace, gitDir: string) {
    this.repository = repository;
    this.objects = objects;
    this.path = place.path;
    this.branch = place.branch;
    this.base = place.base;
    this.gitDir = gitDir;
  }

  /** Whether git, run by the agent in this folder, still uses its git directory. */
  abstract isIntact(): Promise<boolean>;

  /** The head of the task's branch as the agent sees it. Its objects are in the repository. */
  abstract agentHead(): Promise<Oid | undefined>;

  /** Commits of the agent that only the git directory of this folder refers to. */
  abstract strayCommits(): Promise<readonly Oid[]>;

  /** Removes the git directory, if it is outside the folder. */
  abstract removeGitDir(): Promise<void>;

  /** Moves the agent's view of its branch, after the branch of the repository has moved. */
  abstract followBranch(head: Oid): Promise<void>;

  /**
   * Makes the files those of a commit. Files that our index contains and the commit does not are removed; ignored files
   * stay.
   */
  async checkout(commit: Oid): Promise<void> {
    const options = this.#ownIndex();
    await this.objects.text(["read-tree", "-u", "--reset", commit], options);
    await this.skipNested(options);
    await this.#shareIndex(options.env.GIT_INDEX_FILE);
  }

  /** Options for git that use the files and our index of them (F2). `since` is the commit the agent started from. */
  async indexOptions(since: Oid): Promise<IndexOptions> {
    const options = this.#ownIndex();
    const isThere = (await lstat(options.env.GIT_INDEX_FILE).catch(() => undefined)) !== undefined;
    if (isThere) return options;
    await this.objects.text(["read-tree", since], options);
    await this.skipNested(options);
    return options;
  }

  /** To be called whenever entries were added to our index. */
  async skipNested(options: IndexOptions): Promise<void> {
    await skipNested(this.objects, options, this.base.length / 2);
  }

  /** Whether repositories inside the folder have files, which git cannot store in this repository. */
  async hasNestedFiles(since: Oid): Promise<boolean> {
    const nested = await listNested(this.objects, await this.indexOptions(since), since.length / 2);
    const contents = await Promise.all(nested.map((path) => readdir(join(this.path, path)).catch(() => [])));
    return contents.some((names) => names.length > 0);
  }

  /** Whether a file differs from our index. Asking git for this costs less than writing a tree. */
  async hasChanges(): Promise<boolean> {
    const args = ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all"];
    const entries = (await this.objects.text(args, this.#ownIndex())).split("\0").filter(Boolean);
    // The second column compares the file with the index.
    return entries.some((entry) => entry[1] !== " ");
  }

  /** Lets git in this folder see the files as committed, for a person who works on in it. */
  async shareIndex(): Promise<void> {
    await this.#shareIndex(this.#ownIndex().env.GIT_INDEX_FILE);
  }

  /** Removes the folder and its git directory. Links are removed, not followed (F3). The branch stays. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
    await this.forget();
  }

  /** Removes the git directory and our index; the folder stays. */
  async forget(): Promise<void> {
    await this.removeGitDir();
    await rm(this.#ownIndex().env.GIT_INDEX_FILE, { force: true });
  }

  /** The agent sees the same index. The file is replaced, because it may be a link (F3). */
  async #shareIndex(file: string): Promise<void> {
    const shared = join(this.gitDir, `index.${randomUUID()}`);
    await copyIndex(file, shared);
    await rename(shared, join(this.gitDir, "index"));
  }

  #ownIndex(): IndexOptions {
    return {
      env: { GIT_INDEX_FILE: this.objects.indexFile(this.path), GIT_WORK_TREE: this.path },
      cwd: this.path,
    };
  }
}

/** Whether a path is a folder, and neither it nor a folder above it is a link. */
export async function isRealFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory() && (await realpath(path)) === path;
  } catch {
    return false;
  }
}

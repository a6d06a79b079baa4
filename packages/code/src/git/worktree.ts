// A worktree: a folder of an agent that shares the git directory of the user's repository.
//
//   W1. A worktree is created from a commit id and gets no upstream: git then writes nothing to the shared
//       configuration, on whose lock parallel creations would fail.
//   W2. It is locked while it exists, so that `git worktree prune` never removes it.
//   W3. Entries of worktrees are added and removed one at a time, also between processes: git reads half-written entries of
//       others and fails.

import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import { AgentFolder, claimAtBase, isRealFolder, type BranchClaim, type FolderPlace } from "./agent-folder.ts";
import { branchRef } from "./branch-names.ts";
import { LOCK_REASON } from "./checkouts.ts";
import { withFileLock } from "./file-lock.ts";
import { gitFailed } from "./git.ts";
import type { ObjectGit } from "./object-git.ts";
import { isOid, type Oid } from "./oid.ts";
import { readPlainFile } from "./plain-file.ts";
import type { Repository } from "./repository.ts";

const ADD = ["worktree", "add", "--quiet", "--no-checkout", "--lock", "--reason", LOCK_REASON];

export class Worktree extends AgentFolder {
  /** Creates the folder and the branch. A branch that exists is claimed. */
  static async create(
    repository: Repository,
    objects: ObjectGit,
    place: FolderPlace,
    claim: BranchClaim = claimAtBase,
  ): Promise<Worktree> {
    await mkdir(dirname(place.path), { recursive: true });
    await lockEntries(repository, () => addEntry(repository, place, claim));
    const worktree = new Worktree(repository, objects, place, await readGitFile(place.path));
    await worktree.checkout(place.base);
    return worktree;
  }

  /** A worktree that was created earlier. */
  static open(repository: Repository, objects: ObjectGit, place: FolderPlace, gitDir: string): Worktree {
    if (dirname(gitDir) !== join(repository.commonDir, "worktrees"))
      throw new CodeError("WORKSPACE_TAMPERED", `${gitDir} is not the git directory of a worktree`);
    return new Worktree(repository, objects, place, gitDir);
  }

  override async isIntact(): Promise<boolean> {
    if (!(await isRealFolder(this.path)) || !(await isRealFolder(this.gitDir))) return false;
    return (await readGitFile(this.path)) === this.gitDir;
  }

  override agentHead(): Promise<Oid | undefined> {
    return this.repository.resolve(branchRef(this.branch));
  }

  override async strayCommits(): Promise<readonly Oid[]> {
    const log = (await readPlainFile(join(this.gitDir, "logs", "HEAD"))) ?? "";
    const heads = new Set(log.split("\n").flatMap((line) => line.split(" ", 2).slice(1).filter(isOid)));
    heads.delete(this.base);
    return [...heads].filter((head) => !/^0+$/u.test(head));
  }

  override async removeGitDir(): Promise<void> {
    await lockEntries(this.repository, () => rm(this.gitDir, { recursive: true, force: true }));
  }

  /** The agent's branch is the branch of the repository. */
  override async followBranch(): Promise<void> {}
}

/** W3. The lock is in the git directory, which all engines of the repository share. */
async function lockEntries<Result>(repository: Repository, work: () => Promise<Result>): Promise<Result> {
  const folder = join(repository.commonDir, "segno");
  await mkdir(folder, { recursive: true });
  return await withFileLock(join(folder, "worktrees.lock"), work);
}

async function addEntry(
  repository: Repository,
  { path, branch, base }: FolderPlace,
  claim: BranchClaim,
): Promise<void> {
  const added = await repository.run([...ADD, "--no-track", "-b", branch, path, base]);
  if (added.exitCode === 0) return;
  const head = await repository.resolve(branchRef(branch));
  if (head === undefined) throw gitFailed(ADD, added);
  await claim(branch, head, base);
  await forgetEntry(repository, path);
  await repository.text([...ADD, "--force", path, branch]);
}

/** Removes the entry of a worktree whose folder does not exist: an interrupted creation leaves one. */
export async function forgetEntry(repository: Repository, path: string): Promise<void> {
  const entries = join(repository.commonDir, "worktrees");
  for (const entry of await readdir(entries).catch(() => [])) {
    const gitFile = (await readPlainFile(join(entries, entry, "gitdir"))) ?? "";
    if (gitFile.trim() === join(path, ".git")) await rm(join(entries, entry), { recursive: true, force: true });
  }
}

/** Reads the `.git` file of a worktree: one line, `gitdir: <path>`. */
async function readGitFile(path: string): Promise<string> {
  const text = (await readPlainFile(join(path, ".git"))) ?? "";
  return text.replace(/^gitdir: /u, "").replace(/\n$/u, "");
}

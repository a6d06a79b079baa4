// The folders of the user in which branches of a repository are checked out. Folders of agents do not count: an agent may
// switch to any branch, and must not hold up a landing by that.
//
// The heads are read as files, because a process for each merge would cost more than the merge. Repositories that keep refs
// elsewhere are asked by git.

import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { branchRef, type RefName } from "./branch-names.ts";
import { readPlainFile } from "./plain-file.ts";
import type { Repository } from "./repository.ts";

export interface Checkout {
  readonly folder: string;
  /** The git directory of this folder, with its index and its head. */
  readonly gitDir: string;
}

/** The reason for which worktrees of agents are locked. */
export const LOCK_REASON = "a Segno task";

/** The user's folders that have a branch checked out, or that are in the middle of rebasing it. */
export async function findCheckouts(repository: Repository, branch: string): Promise<readonly Checkout[]> {
  const gitDirs: string[] = [];
  for (const gitDir of await listGitDirs(repository.commonDir))
    if (await usesBranch(repository, gitDir, branchRef(branch))) gitDirs.push(gitDir);
  return await Promise.all(gitDirs.map(async (gitDir) => ({ gitDir, folder: await findFolder(repository, gitDir) })));
}

async function listGitDirs(commonDir: string): Promise<readonly string[]> {
  const entries = await readdir(join(commonDir, "worktrees")).catch(() => []);
  const gitDirs: string[] = [commonDir];
  for (const entry of entries) {
    const gitDir = join(commonDir, "worktrees", entry);
    if ((await readLine(join(gitDir, "locked"))) !== LOCK_REASON) gitDirs.push(gitDir);
  }
  return gitDirs;
}

async function usesBranch(repository: Repository, gitDir: string, ref: RefName): Promise<boolean> {
  const head = await readHead(repository, gitDir);
  if (head === `ref: ${ref}`) return true;
  for (const operation of ["rebase-merge", "rebase-apply"])
    if ((await readLine(join(gitDir, operation, "head-name"))) === ref) return true;
  return false;
}

async function readHead(repository: Repository, gitDir: string): Promise<string> {
  const hasFiles = (await stat(join(repository.commonDir, "reftable")).catch(() => undefined)) === undefined;
  if (hasFiles) return await readLine(join(gitDir, "HEAD"));
  const result = await repository.git.run([`--git-dir=${gitDir}`, "symbolic-ref", "--quiet", "HEAD"]);
  return `ref: ${result.stdout.toString("utf8").trim()}`;
}

/** The first entry of git's list is the folder of the repository itself. */
async function findFolder(repository: Repository, gitDir: string): Promise<string> {
  if (gitDir !== repository.commonDir) return dirname(await readLine(join(gitDir, "gitdir")));
  const list = await repository.text(["worktree", "list", "--porcelain", "-z"]);
  return list.split("\0")[0]!.replace(/^worktree /u, "");
}

async function readLine(file: string): Promise<string> {
  return ((await readPlainFile(file)) ?? "").trim();
}

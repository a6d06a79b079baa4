// Collects the work of an agent: the files of its worktree become one commit of the engine.
//
//   C1. The files decide, not the agent's branch or index: an agent may commit, switch branches, stop in the middle of a
//       rebase, or mark files in its index as unchanged. Only if no file differs from the base, the branch of the task
//       decides: the agent may have committed there and left for another branch.
//   C2. A worktree whose `.git` file was replaced is not collected: the agent redirected git.
//   C3. Nested repositories are refused: git would record a reference and drop their files.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import { branchRef } from "./branch-names.ts";
import { gitFailed } from "./git.ts";
import type { ObjectGit } from "./object-git.ts";
import type { Oid } from "./oid.ts";
import type { Repository } from "./repository.ts";
import type { Worktree } from "./worktree.ts";

export interface FileChange {
  readonly status: "added" | "changed" | "deleted";
  readonly path: string;
  readonly mode: string;
  /** Undefined for a deleted file. */
  readonly blob: Oid | undefined;
}

export type CollectedWork =
  | { readonly kind: "unchanged" }
  | { readonly kind: "changed"; readonly tree: Oid; readonly changes: readonly FileChange[] }
  | { readonly kind: "refused"; readonly reason: string };

const GITLINK = "160000";

/** Git notes in these files of the worktree's git directory that an operation was interrupted. */
const INTERRUPTED = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

export async function collectWork(
  repository: Repository,
  objects: ObjectGit,
  worktree: Worktree,
): Promise<CollectedWork> {
  if (!(await worktree.isIntact()))
    throw new CodeError("WORKSPACE_TAMPERED", `the agent replaced \`.git\` in ${worktree.path}`);
  const written = await writeFiles(objects, worktree);
  if (written.kind === "refused") return written;
  const baseTree = await objects.tree(worktree.base);
  const tree = written.tree === baseTree ? await committedTree(repository, objects, worktree) : written.tree;
  if (tree === baseTree) return { kind: "unchanged" };
  const changes = await listChanges(objects, baseTree, tree);
  const nested = changes.find(({ mode }) => mode === GITLINK);
  if (nested !== undefined)
    return { kind: "refused", reason: `\`${nested.path}\` is a git repository inside the worktree` };
  const conflict = await unfinishedConflict(worktree);
  return conflict === undefined ? { kind: "changed", tree, changes } : { kind: "refused", reason: conflict };
}

type FilesAsTree =
  | { readonly kind: "written"; readonly tree: Oid }
  | { readonly kind: "refused"; readonly reason: string };

/** Writes all files that are not ignored as a tree, with an index of our own (C1). */
async function writeFiles(objects: ObjectGit, worktree: Worktree): Promise<FilesAsTree> {
  const options = await worktree.indexOptions();
  const added = await objects.run(["add", "--all"], options);
  if (added.exitCode !== 0) return { kind: "refused", reason: gitFailed(["add"], added).message };
  return { kind: "written", tree: await objects.oid(["write-tree"], options) };
}

/** The tree of the task's branch, or that of the base if the branch does not exist. */
async function committedTree(repository: Repository, objects: ObjectGit, worktree: Worktree): Promise<Oid> {
  const tip = (await repository.resolve(branchRef(worktree.branch))) ?? worktree.base;
  return await objects.tree(tip);
}

async function listChanges(objects: ObjectGit, from: Oid, to: Oid): Promise<readonly FileChange[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", from, to];
  const fields = (await objects.text(args)).split("\0");
  const changes: FileChange[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, mode = "", , blob, status = ""] = fields[index]!.split(" ");
    changes.push({
      status: status === "A" ? "added" : status === "D" ? "deleted" : "changed",
      path: fields[index + 1]!,
      mode,
      blob: status === "D" ? undefined : (blob as Oid),
    });
  }
  return changes;
}

async function unfinishedConflict({ gitDir, path }: Worktree): Promise<string | undefined> {
  for (const name of INTERRUPTED)
    if (await exists(join(gitDir, name))) return `the agent left an unfinished git operation (${name}) in ${path}`;
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

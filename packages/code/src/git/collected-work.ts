// Collects the work of an agent: the files of its folder become one tree.
//
//   C1. The files decide, not the agent's branch or index: an agent may commit, switch branches, stop in the middle of a
//       rebase, or mark files in its index as unchanged. Only if no file differs, the branch of the task decides: the
//       agent may have committed there and left for another branch.
//   C2. A folder whose git directory was replaced is not collected: the agent redirected git.
//   C3. Nested repositories are refused: git would record a reference and drop their files.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { CodeError } from "../errors/code-error.ts";
import type { AgentFolder } from "./agent-folder.ts";
import { listDiff, type DiffStat, type FileChange } from "./file-change.ts";
import { gitFailed } from "./git.ts";
import type { ObjectGit } from "./object-git.ts";
import type { Oid } from "./oid.ts";

export type CollectedWork =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "changed";
      readonly tree: Oid;
      readonly changes: readonly FileChange[];
      readonly stats: readonly DiffStat[];
      /** Whether the tree is that of the files (C1). */
      readonly isFromFiles: boolean;
    }
  | { readonly kind: "refused"; readonly reason: string };

export interface WorkStart {
  /** The commit whose files the agent started from. */
  readonly since: Oid;
  /** The commits at which the branch was when the agent started. */
  readonly heads: readonly Oid[];
}

const GITLINK = "160000";

/** Git notes in these files of a git directory that an operation was interrupted. */
const INTERRUPTED: readonly string[] = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "rebase-merge",
  "rebase-apply",
];

export async function collectWork(objects: ObjectGit, folder: AgentFolder, start: WorkStart): Promise<CollectedWork> {
  if (!(await folder.isIntact()))
    throw new CodeError(
      "WORKSPACE_TAMPERED",
      `the agent replaced the git directory of ${folder.path}, or a part of it`,
    );
  const written = await writeFiles(objects, folder, start.since);
  if (written.kind === "refused") return written;
  const interrupted = await findInterrupted(folder.gitDir);
  const fromFiles = await toWork(objects, start, written.tree, true);
  if (fromFiles.kind !== "unchanged" && interrupted !== undefined)
    return { kind: "refused", reason: `the agent left an unfinished git operation (${interrupted}) in ${folder.path}` };
  if (fromFiles.kind !== "unchanged") return fromFiles;
  const head = await folder.agentHead();
  if (head === undefined || head === start.since || start.heads.includes(head)) return fromFiles;
  return await toWork(objects, start, await objects.tree(head), false);
}

async function toWork(
  objects: ObjectGit,
  { since }: WorkStart,
  tree: Oid,
  isFromFiles: boolean,
): Promise<CollectedWork> {
  const { changes, stats } = await listDiff(objects, since, tree);
  if (changes.length === 0) return { kind: "unchanged" };
  const nested = changes.find(({ mode }) => mode === GITLINK);
  if (nested !== undefined)
    return { kind: "refused", reason: `\`${nested.path}\` is a git repository inside the workspace` };
  return { kind: "changed", tree, changes, stats, isFromFiles };
}

export type FilesAsTree =
  | { readonly kind: "written"; readonly tree: Oid }
  | { readonly kind: "refused"; readonly reason: string };

/** Writes all files that are not ignored as a tree, with an index of our own (C1). */
export async function writeFiles(objects: ObjectGit, folder: AgentFolder, since: Oid): Promise<FilesAsTree> {
  const options = await folder.indexOptions(since);
  const added = await objects.run(["add", "--all"], options);
  if (added.exitCode !== 0) return { kind: "refused", reason: gitFailed(["add"], added).message };
  await folder.skipNested(options);
  return { kind: "written", tree: await objects.oid(["write-tree"], options) };
}

/** The name of the file that says so if an operation of git is unfinished. */
export async function findInterrupted(gitDir: string): Promise<string | undefined> {
  for (const name of INTERRUPTED)
    if ((await stat(join(gitDir, name)).catch(() => undefined)) !== undefined) return name;
  return undefined;
}

// The files that differ between two commits or trees.

import type { ObjectGit } from "./object-git.ts";
import type { Oid } from "./oid.ts";

export interface FileChange {
  readonly status: "added" | "changed" | "deleted";
  readonly path: string;
  readonly mode: string;
  /** Undefined for a deleted file. */
  readonly blob: Oid | undefined;
  /** The content before. Undefined for an added file. */
  readonly before: { readonly mode: string; readonly blob: Oid } | undefined;
}

/** A file of a diff, with its numbers of lines. A binary file has none. */
export interface DiffStat {
  readonly path: string;
  readonly lines: { readonly added: number; readonly deleted: number } | undefined;
}

export async function listChanges(objects: ObjectGit, from: Oid, to: Oid): Promise<readonly FileChange[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", from, to];
  return readChanges((await objects.text(args)).split("\0"));
}

/** The changes with the numbers of lines, by the same git process. */
export async function listDiff(
  objects: ObjectGit,
  from: Oid,
  to: Oid,
): Promise<{ readonly changes: readonly FileChange[]; readonly stats: readonly DiffStat[] }> {
  const args = [
    "diff-tree",
    "-r",
    "-z",
    "--raw",
    "--numstat",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    from,
    to,
  ];
  const fields = (await objects.text(args)).split("\0");
  // Each change is two fields, of which the first begins with a colon. The numbers follow, one field for each file.
  let end = 0;
  while (fields[end]?.startsWith(":") === true) end += 2;
  return { changes: readChanges(fields.slice(0, end)), stats: fields.slice(end).flatMap(readStat) };
}

function readStat(field: string): readonly DiffStat[] {
  const [, added = "", deleted = "", path] = /^(\d+|-)\t(\d+|-)\t(.+)$/su.exec(field) ?? [];
  if (path === undefined) return [];
  return [{ path, lines: added === "-" ? undefined : { added: Number(added), deleted: Number(deleted) } }];
}

function readChanges(fields: readonly string[]): readonly FileChange[] {
  const changes: FileChange[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [modeBefore = "", mode = "", blobBefore, blob, status = ""] = fields[index]!.slice(1).split(" ");
    changes.push({
      status: status === "A" ? "added" : status === "D" ? "deleted" : "changed",
      path: fields[index + 1]!,
      mode,
      blob: status === "D" ? undefined : (blob as Oid),
      before: status === "A" ? undefined : { mode: modeBefore, blob: blobBefore as Oid },
    });
  }
  return changes;
}

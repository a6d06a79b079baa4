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

export async function listChanges(objects: ObjectGit, from: Oid, to: Oid): Promise<readonly FileChange[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", from, to];
  const fields = (await objects.text(args)).split("\0");
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

// Merges two commits without a checkout.
//
// The exit code alone does not tell a conflict: git also ends with 1 for a commit that it cannot find. So both sides are
// full object ids, and a conflict counts only if git printed the id of a tree.

import { CodeError } from "../errors/code-error.ts";
import { gitFailed } from "./git.ts";
import type { ObjectGit } from "./object-git.ts";
import { isOid, type Oid } from "./oid.ts";

export type MergedTrees =
  | { readonly kind: "clean"; readonly tree: Oid }
  /** The tree contains the conflicting files with conflict markers. */
  | { readonly kind: "conflict"; readonly tree: Oid; readonly conflicts: readonly Conflict[] };

export interface Conflict {
  readonly path: string;
  /** The messages of git about the path, such as `CONFLICT (modify/delete): …`. */
  readonly messages: readonly string[];
  /** The entries of the index, as `<stage> <mode> <blob>`. */
  readonly stages: readonly string[];
}

export async function mergeTrees(git: ObjectGit, ours: Oid, theirs: Oid): Promise<MergedTrees> {
  const args = ["merge-tree", "--write-tree", "-z", "--messages", ours, theirs];
  const result = await git.run(args);
  const { exitCode } = result;
  if (exitCode !== 0 && exitCode !== 1) throw gitFailed(args, result);
  const [tree = "", ...fields] = result.stdout.toString("utf8").split("\0");
  if (!isOid(tree)) throw gitFailed(args, result);
  return exitCode === 0 ? { kind: "clean", tree } : { kind: "conflict", tree, conflicts: readConflicts(fields) };
}

/**
 * The fields are: the conflicting entries (`<mode> <id> <stage>\t<path>`), an empty field, and messages, each as the
 * number of its paths, the paths, a type and a text.
 */
function readConflicts(fields: readonly string[]): readonly Conflict[] {
  const found = new Map<string, { readonly messages: string[]; readonly stages: string[] }>();
  const at = (path: string): { readonly messages: string[]; readonly stages: string[] } => {
    const known = found.get(path) ?? { messages: [], stages: [] };
    found.set(path, known);
    return known;
  };
  const end = fields.indexOf("");
  for (const entry of fields.slice(0, end)) {
    const tab = entry.indexOf("\t");
    const [mode = "", blob = "", stage = ""] = entry.slice(0, tab).split(" ");
    at(entry.slice(tab + 1)).stages.push(`${stage} ${mode} ${blob}`);
  }
  for (const { paths, type, text } of readMessages(fields.slice(end + 1)))
    if (type.startsWith("CONFLICT")) for (const path of paths) at(path).messages.push(text.trim());
  return [...found].map(([path, conflict]) => ({ path, ...conflict }));
}

function* readMessages(
  fields: readonly string[],
): Generator<{ readonly paths: readonly string[]; readonly type: string; readonly text: string }> {
  for (let index = 0; index < fields.length && fields[index] !== "";) {
    const count = Number(fields[index]);
    if (!Number.isSafeInteger(count))
      throw new CodeError("GIT_FAILED", "the messages of `git merge-tree` are unreadable");
    const paths = fields.slice(index + 1, index + 1 + count);
    yield { paths, type: fields[index + 1 + count] ?? "", text: fields[index + 2 + count] ?? "" };
    index += count + 3;
  }
}

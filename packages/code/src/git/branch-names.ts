// Names of branches and refs. Ids become parts of branch names and of folder names, so they are checked first: git
// accepts `$(id)` in a name, and disks may ignore case.

import { CodeError } from "../errors/code-error.ts";

const ID = /^[a-z0-9][a-z0-9._-]{0,63}$/u;

/** Throws unless the id can be part of a branch name and of a folder name on every disk. */
export function checkTaskId(id: string): void {
  const isSafe = ID.test(id) && !id.includes("..") && !id.endsWith(".lock") && !id.endsWith(".");
  if (!isSafe)
    throw new CodeError(
      "TASK_ID_INVALID",
      `the id ${JSON.stringify(id)} must have at most 64 lower-case letters, digits, \`-\`, \`_\` and \`.\`, begin with a letter or a digit, and not end with \`.\` or \`.lock\``,
    );
}

export type RefName = `refs/${string}`;

/** Names of refs are files of the git directory, so they are not longer than paths. */
const REF_BYTES_MAX = 4096;
const REF_CHARACTERS = /^[!-~\u0080-\u{10ffff}]+$/u;
/** Git uses these characters in revisions, such as `main~1`, and in patterns. */
const REVISION_SYNTAX = /[~^:?*[\\]|\.\.|@\{/u;

/** Whether a ref can have this name. A ref cannot, for example, have the name of another revision. */
export function isRefName(name: string): boolean {
  const parts = name.split("/");
  return (
    REF_CHARACTERS.test(name) &&
    !REVISION_SYNTAX.test(name) &&
    !name.endsWith(".") &&
    Buffer.byteLength(name) <= REF_BYTES_MAX &&
    parts.every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"))
  );
}

export function branchRef(branch: string): RefName {
  return `refs/heads/${branch}`;
}

/** CODE-6: exists if and only if the task has landed; its value is the commit with which it landed. */
export function landedRef(execution: string, task: string): RefName {
  return `refs/segno/${execution}/landed/${task}`;
}

/** Work that has not landed and would be lost otherwise (CODE-9). `n` counts from 1. */
export function keptRef(execution: string, task: string, n: number): RefName {
  return `refs/segno/${execution}/kept/${task}-${n}`;
}

/** CODE-3. */
export function workflowBranch(execution: string): string {
  return `workflow/${execution}`;
}

/** CODE-3. */
export function taskBranch(execution: string, task: string): string {
  return `task/${execution}-${task}`;
}

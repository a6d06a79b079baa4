// Names of branches and refs. Ids become parts of branch names and of folder names, so they are checked first: git
// accepts `$(id)` in a name, and disks may ignore case.

import { CodeError } from "../errors/code-error.ts";

const TASK_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/u;
const NAME = /^[a-z0-9][a-z0-9._-]*$/u;
const WORKFLOW_ID_MAX = 64;
/** The id of a task, or the name of the landing, with the number of a fix and the mark of a workspace for checks. */
const WORKSPACE_NAME_MAX = 96;

/** Throws unless the id can be part of a branch name and of a folder name on every disk. Names with `.` are the engine's own. */
export function checkTaskId(id: string): void {
  if (!TASK_ID.test(id))
    throw new CodeError(
      "TASK_ID_INVALID",
      `the id ${JSON.stringify(id)} must have at most 64 lower-case letters, digits, \`-\` and \`_\`, and begin with a letter or a digit`,
    );
}

export function checkWorkflowId(id: string): void {
  checkName(id, WORKFLOW_ID_MAX);
}

/** The name of a workspace: the id of a task, or a name of the engine, such as that of a fix. */
export function checkWorkspaceName(name: string): void {
  checkName(name, WORKSPACE_NAME_MAX);
}

function checkName(name: string, max: number): void {
  const isSafe =
    NAME.test(name) && name.length <= max && !name.includes("..") && !name.endsWith(".lock") && !name.endsWith(".");
  if (!isSafe)
    throw new CodeError(
      "TASK_ID_INVALID",
      `the id ${JSON.stringify(name)} must have at most ${max} lower-case letters, digits, \`-\`, \`_\` and \`.\`, begin with a letter or a digit, and not end with \`.\` or \`.lock\``,
    );
}

/**
 * The landing of the whole workflow, where the id of a task stands otherwise: in branches, workspaces, events and commands. The
 * id of a task has no `.`, so no task has this name, nor that of a fix or of a workspace for checks.
 */
export const LANDING_NAME = "workflow.landing";

export function fixTaskId(originalTaskId: string, fixNumber: number): string {
  return `${originalTaskId}.fix${fixNumber}`;
}

/** The workspace in which a merge is checked that was escalated before: its name or its id. */
export function checkWorkspace(workspace: string): string {
  return `${workspace}.check`;
}

/** The full name of a git ref. */
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

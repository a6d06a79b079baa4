// The error codes of code workflows, with their meaning and their remedy.

import "@segno/contract/node-version";
import type { CodeText } from "@segno/kernel";

/** The codes of a `CodeError`. */
export type CodeErrorCode =
  | "GIT_MISSING"
  | "GIT_TOO_OLD"
  | "GIT_FAILED"
  | "REPOSITORY_MISSING"
  | "REPOSITORY_UNSUPPORTED"
  | "BASE_BRANCH_MISSING"
  | "BRANCH_NAME_TAKEN"
  | "BRANCH_MISSING"
  | "BRANCH_NOT_LANDED"
  | "BRANCH_CHECKED_OUT"
  | "CHECKOUT_BLOCKED"
  | "CHECKS_PENDING"
  | "BASE_BROKEN"
  | "LANDING_MARKER_INVALID"
  | "PULL_REQUEST_MISSING"
  | "FORGE_UNAUTHORIZED"
  | "FORGE_REFUSED"
  | "FORGE_FAILED"
  | "FORGE_LIMITED"
  | "FORGE_PENDING"
  | "REVIEW_PENDING"
  | "SETUP_FAILED"
  | "TASK_ID_INVALID"
  | "TASK_UNKNOWN"
  | "TASK_FAILED"
  | "TASK_CLAIMED"
  | "TASK_ESCALATED"
  | "WORKFLOW_DEADLOCKED"
  | "WORKFLOW_UNFINISHED"
  | "WORKFLOW_NOT_CODE"
  | "STRATEGY_INVALID"
  | "RESOLUTION_INVALID"
  | "TASK_CYCLE"
  | "TASKS_FIXED"
  | "MERGE_CANCELLED"
  | "TASK_FILE_INVALID"
  | "TASK_FILE_LOCKED"
  | "TEMPLATE_INVALID"
  | "PARAMETER_INVALID"
  | "CONFIGURATION_INVALID"
  | "CHECKPOINT_MISSING"
  | "JOURNAL_IN_USE"
  | "WORKSPACE_MISSING"
  | "WORKSPACE_TAMPERED"
  | "AGENT_MISSING"
  | "AGENT_UNKNOWN"
  | "AGENT_SESSION_UNKNOWN"
  | "AGENT_SESSION_USED"
  | "WORKSPACE_ROOT_UNSAFE"
  | "BUDGET_EXCEEDED"
  | "EVENTS_DROPPED";

export const CODE_CODES: Readonly<Record<CodeErrorCode, CodeText>> = {
  GIT_MISSING: {
    meaning: "The program `git` cannot be started.",
    remedy: "Install git 2.38 or newer, and make sure that `PATH` names its folder.",
  },
  GIT_TOO_OLD: {
    meaning: "The installed git cannot merge without a checkout.",
    remedy: "Install git 2.38 or newer.",
  },
  GIT_FAILED: {
    meaning: "A git command failed for a reason that Segno does not handle.",
    remedy: "Read the message of git in the error; correct the repository, and retry the execution.",
  },
  REPOSITORY_MISSING: {
    meaning: "The folder is not inside a git repository.",
    remedy: "Name the folder of a repository with `--repo`, or create one with `git init` and a first commit.",
  },
  REPOSITORY_UNSUPPORTED: {
    meaning: "The repository is bare, shallow or partial, or has no commits.",
    remedy:
      "Use a complete clone with a working tree and at least one commit; `git fetch --unshallow` completes a shallow one.",
  },
  BASE_BRANCH_MISSING: {
    meaning: "The base branch does not exist.",
    remedy: "Name an existing branch with `--base`.",
  },
  BRANCH_NAME_TAKEN: {
    meaning: "A branch named `task` or `workflow` exists, so git cannot create `task/…` or `workflow/…`.",
    remedy: "Rename that branch.",
  },
  BRANCH_MISSING: {
    meaning: "A branch that is to be merged or compared does not exist.",
    remedy: "Create the branch again at its last commit, and retry the execution.",
  },
  BRANCH_NOT_LANDED: {
    meaning: "A branch is to be deleted, but its work has not landed, or the branch has moved since.",
    remedy: "Land the work first, or delete the branch yourself if you do not need it.",
  },
  BRANCH_CHECKED_OUT: {
    meaning: "A branch that the engine has to move is checked out in a folder of the user.",
    remedy: "Switch that folder to another branch.",
  },
  CHECKOUT_BLOCKED: {
    meaning: "The target of a landing is checked out in a folder of the user, which cannot be moved forward now.",
    remedy:
      "Commit, stash or remove the changes there, or switch to another branch. The landing then goes on by itself.",
  },
  CHECKS_PENDING: {
    meaning: "The forge has not finished the checks of a pull request.",
    remedy: "The merge looks again after some seconds and goes on by itself.",
  },
  BASE_BROKEN: {
    meaning:
      "A check fails on the target of a merge without the work, too. The workflow is paused, and no task is charged.",
    remedy: "Repair the base branch and resume the execution. The repaired base is then merged into the workflow.",
  },
  LANDING_MARKER_INVALID: {
    meaning:
      "The marker of a landing exists, but the branch does not have the work: the marker was not written by Segno, or the branch was rewritten.",
    remedy:
      "Look at the branch. If the work is to land, delete the marker that the message names, and retry the execution.",
  },
  PULL_REQUEST_MISSING: {
    meaning: "There is no pull request with this id.",
    remedy: "Create the pull request first.",
  },
  FORGE_UNAUTHORIZED: {
    meaning: "The forge does not accept the token, or the token lacks a permission.",
    remedy:
      "Give the step a token that may read and write contents and pull requests, and read checks and commit statuses.",
  },
  FORGE_REFUSED: {
    meaning: "The forge refused a request or a push.",
    remedy:
      "Read the answer of the forge in the error; correct the repository or its settings, and retry the execution.",
  },
  FORGE_FAILED: {
    meaning:
      "The forge did not answer in time, answered with too much data, or not in the form that its API describes.",
    remedy: "The step is tried again. If the error stays, check the base URL and the network.",
  },
  FORGE_LIMITED: {
    meaning: "The forge limits the number of requests.",
    remedy: "The step is tried again when the forge permits it. Run fewer tasks at once if this happens often.",
  },
  FORGE_PENDING: {
    meaning: "The forge has not finished its work on an earlier request.",
    remedy: "The step is tried again after a few seconds.",
  },
  REVIEW_PENDING: {
    meaning: "A pull request waits for a person, who may answer on the forge or by `segno code land`.",
    remedy: "Review or merge the pull request there, or approve it here.",
  },
  SETUP_FAILED: {
    meaning: "A command of `setup` failed in a new workspace. It is tried again as often as the step is.",
    remedy: "Read its output in the debug bundle that the message names, and repair the command or what it needs.",
  },
  TASK_ID_INVALID: {
    meaning: "An id cannot be part of a branch name and of a folder name.",
    remedy:
      "Use lower-case letters, digits, `-`, `_` and `.`; begin with a letter or a digit; do not end with `.lock`.",
  },
  TASK_UNKNOWN: {
    meaning: "There is no task with this id.",
    remedy: "Create the task first, or correct the id.",
  },
  TASK_FAILED: {
    meaning: "The agent of a task did not finish its work, or its work could not be merged.",
    remedy: "Read the message and the transcript; correct the cause, and retry the execution.",
  },
  TASK_CLAIMED: {
    meaning: "Another executor works on the task.",
    remedy: "Let the other executor finish, or release its claim in the task backend.",
  },
  TASK_ESCALATED: {
    meaning: "A task cannot go on without the decision of a person.",
    remedy: "Look at the kept workspace, repair it if needed, and approve or reject the escalation.",
  },
  WORKFLOW_DEADLOCKED: {
    meaning:
      "No task of the workflow can become ready, because tasks wait for each other or for a task that does not exist.",
    remedy: "Remove a dependency that the message shows from the task backend, and retry the execution.",
  },
  WORKFLOW_UNFINISHED: {
    meaning: "A workflow is to be completed, but one of its tasks has not landed.",
    remedy: "Complete the task that the message names first.",
  },
  WORKFLOW_NOT_CODE: {
    meaning: "The execution is not a code workflow, so it has no tasks and no repository.",
    remedy: "Name an execution that `segno code run` started.",
  },
  STRATEGY_INVALID: {
    meaning: "A scheduling strategy threw an error, or chose a task that is not ready.",
    remedy: "Correct the strategy: it must return one of the tasks that it gets.",
  },
  RESOLUTION_INVALID: {
    meaning: "An error resolution strategy returned a value that is not a resolution.",
    remedy: 'Return `{ type: "retry", retryDelay }`, `{ type: "fix_task", task }` or `{ type: "escalate", reason }`.',
  },
  TASK_CYCLE: {
    meaning: "A dependency would make tasks wait for each other.",
    remedy: "Remove another dependency of the cycle that the message shows.",
  },
  TASKS_FIXED: {
    meaning:
      "A task in the engine's own store is to be changed after it became a step, or a task is to be added after the workflow has looked for new tasks for the last time.",
    remedy: "Add a new task while another task of the workflow runs, or start another workflow.",
  },
  MERGE_CANCELLED: {
    meaning: "A merge was cancelled while its checks ran, so it did not land.",
    remedy: "Nothing has to be repaired. Merge again if the work should land.",
  },
  TASK_FILE_INVALID: {
    meaning: "The file of tasks has a line that is not a record of a task.",
    remedy: "Restore the file from a backup, or remove the line that the message names.",
  },
  TASK_FILE_LOCKED: {
    meaning: "Another process has locked the file of tasks, or the list of worktrees, for a long time.",
    remedy: "Find the process and end it.",
  },
  TEMPLATE_INVALID: {
    meaning: "A template refers to a parameter or to a task that it does not have, or its tasks wait for each other.",
    remedy: "Correct each problem; the message shows its line.",
  },
  PARAMETER_INVALID: {
    meaning: "A parameter is missing, unknown or of the wrong type.",
    remedy: "Give every parameter that has no default, as `--param name=value`.",
  },
  CONFIGURATION_INVALID: {
    meaning: "The configuration of an executor contradicts itself.",
    remedy: "Correct each problem; the message shows its line.",
  },
  CHECKPOINT_MISSING: {
    meaning: "There is no checkpoint with this id, or no workflow to make a checkpoint of.",
    remedy: "Name a checkpoint that exists, or the workflow to save.",
  },
  JOURNAL_IN_USE: {
    meaning: "Another executor or process runs the workflows of this journal.",
    remedy: "Close it, or give the executor another `file`.",
  },
  WORKSPACE_MISSING: {
    meaning: "There is no workspace with this id.",
    remedy: "Create the workspace first.",
  },
  WORKSPACE_ROOT_UNSAFE: {
    meaning: "The folder of the workspaces, or a folder above it in the repository, is a link or a file.",
    remedy: "Remove the link or the file, or choose another folder for the workspaces.",
  },
  WORKSPACE_TAMPERED: {
    meaning: "An agent changed how git finds or reads its workspace.",
    remedy: "Inspect the kept workspace, then retry the task.",
  },
  AGENT_MISSING: {
    meaning: "The program of an agent is not installed.",
    remedy: "Install the program, make sure that `PATH` names its folder, or choose another agent in the template.",
  },
  AGENT_UNKNOWN: {
    meaning: "A task names an agent that is not configured, or names none and there is no default agent.",
    remedy: "Configure the agent under this name, correct the name, or set the default agent.",
  },
  AGENT_SESSION_UNKNOWN: {
    meaning: "There is no session with this id in this process.",
    remedy: "Create the session first. Sessions do not outlive the process; start a new one after a restart.",
  },
  AGENT_SESSION_USED: {
    meaning: "A session was created or executed twice. A session is used for one attempt of one task.",
    remedy: "Create a session with a new id for each attempt.",
  },
  BUDGET_EXCEEDED: {
    meaning: "The agents of a workflow have used up its budget, so no further agent starts.",
    remedy: "Start the workflow again with a higher `budgetUsd`, or remove tasks. Work that has landed is kept.",
  },
  EVENTS_DROPPED: {
    meaning:
      "A subscriber to the events of code workflows was too slow, and the oldest events that waited for it were dropped.",
    remedy: "Make the handler faster, or let it collect events and do the slow work later.",
  },
};

// The port to workspaces: the folders in which agents work.
//
//   WS1. A workspace is made fresh for each attempt. If one with the same id exists, its unlanded changes are kept under
//        a ref first (CODE-9).
//   WS2. Ids are stable: after a restart of the process, all operations work on workspaces that were made before it.
//   WS3. The agent does not commit; `commitChanges` does, from the files of the workspace (CODE-4).
//   WS4. `destroyWorkspace` never deletes the only copy of a change: what is not on a branch is kept under a ref first.

import type { DiffStat } from "../git/file-change.ts";

/** A workspace that is to be created. */
export interface WorkspaceRequest {
  /** The id of the workspace: `<execution>/<task>`. */
  readonly workspaceId: string;
  /** The branch of the workspace. */
  readonly branch: string;
  /** The commit that the task starts from. */
  readonly base: string;
}

/** A folder in which an agent works on a branch. */
export interface Workspace {
  readonly workspaceId: string;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
}

/** A commit of the changes in a workspace. */
export interface CommitRequest {
  /** The commit whose files the agent started from. */
  readonly since: string;
  /** The parents of the new commit; the default is `since` alone. */
  readonly parents?: readonly string[];
  /**
   * Whether commits on the branch since then stay as they are, those of merges included: a person made them. Only files
   * that differ from them get a new commit.
   */
  readonly keepsCommits?: boolean;
  /** The message of the commit. */
  readonly message: string;
  /** The time of the commit, in milliseconds since 1970. */
  readonly atMs: number;
  /** Files that contained conflict markers when the agent began. If markers are left in them, the commit is refused. */
  readonly conflictedPaths?: readonly string[];
}

/** The result of committing the changes in a workspace. */
export type CommitOutcome =
  | {
      readonly kind: "committed";
      readonly commit: string;
      readonly changedFiles: readonly string[];
      /** Undefined if the workspaces do not count lines. */
      readonly diff?: readonly DiffStat[];
    }
  | { readonly kind: "unchanged" }
  /** The changes break a rule: a denied path, a file that is too large, a nested repository, a secret, conflict markers. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "tampered"; readonly reason: string };

/** Whether a workspace exists and can be trusted. */
export type WorkspaceStatus =
  | { readonly kind: "missing" }
  | { readonly kind: "present"; readonly path: string; readonly branch: string; readonly head: string }
  | { readonly kind: "tampered"; readonly path: string; readonly reason: string };

/** Options of `destroyWorkspace`. */
export interface DestroyOptions {
  /** No agent has worked there. Its branch is deleted too, if it is still where the workspace was created. */
  readonly isUnused?: boolean;
}

/** The folders in which agents work. */
export interface Workspaces {
  /** The folder of all workspaces of an execution: the path of each is this folder and its name. */
  getWorkspaceFolder?(execution: string): Promise<string>;
  /** Creates a workspace at its base commit. An existing one with the same id is replaced. */
  createWorkspace(request: WorkspaceRequest): Promise<Workspace>;
  /** The folder; undefined if there is no such workspace. */
  getWorkspacePath(workspaceId: string): Promise<string | undefined>;
  /** Makes the files of a workspace those of a commit, for a check or for a fix. */
  checkoutCommit(workspaceId: string, commit: string): Promise<void>;
  /** Commits the changes in a workspace, if the commit policy allows them. */
  commitChanges(workspaceId: string, request: CommitRequest): Promise<CommitOutcome>;
  /** Whether the workspace exists and can be trusted. */
  getWorkspaceStatus(workspaceId: string): Promise<WorkspaceStatus>;
  /** Removes the workspace. Its branch stays, unless no agent has used the workspace. */
  destroyWorkspace(workspaceId: string, options?: DestroyOptions): Promise<void>;
}

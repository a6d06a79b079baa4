import type { GitHubOptions } from "../github/github-options.ts";
import type { WorkspaceKind } from "../template/template.ts";
import type { Vcs } from "../vcs/vcs.ts";
import type { FolderWorkspacesOptions } from "../workspaces/folder-workspaces.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";
import { OpenRepository } from "./open-repository.ts";

/** A git repository of this machine, for programs that compose an executor from ports. */
export interface GitRepository extends AsyncDisposable {
  /** The top folder of the user's working tree. */
  readonly folder: string;
  /** Branches, and pull requests without a forge. */
  readonly vcs: Vcs;
  /** How many git processes were started. */
  readonly processCount: number;
  /** Worktrees of the repository, or hardened clones. */
  workspaces(kind: WorkspaceKind, options?: FolderWorkspacesOptions): Workspaces;
  /** Branches of the repository, and pull requests on GitHub. */
  gitHub(options: GitHubOptions): Vcs;
}

/** Throws unless code workflows can run on the repository around this folder. */
export async function openGitRepository(folder: string): Promise<GitRepository> {
  return await OpenRepository.open(folder);
}

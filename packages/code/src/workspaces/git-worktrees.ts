// Workspaces that are worktrees of the user's repository: fast, and they share its git directory.

import { rm } from "node:fs/promises";
import type { AgentFolder, BranchClaim, FolderPlace } from "../git/agent-folder.ts";
import { forgetEntry, Worktree } from "../git/worktree.ts";
import { FolderWorkspaces } from "./folder-workspaces.ts";

export class GitWorktrees extends FolderWorkspaces {
  protected override createFolder(place: FolderPlace, claim: BranchClaim): Promise<AgentFolder> {
    return Worktree.create(this.repository, this.objects, place, claim);
  }

  protected override openFolder(place: FolderPlace, gitDir: string): AgentFolder {
    return Worktree.open(this.repository, this.objects, place, gitDir);
  }

  protected override async removeIncompleteFolder({ path }: FolderPlace): Promise<void> {
    await rm(path, { recursive: true, force: true });
    await forgetEntry(this.repository, path);
  }
}

// Workspaces that are clones: each has a git directory of its own, so an agent can be denied all writes outside its folder.

import { rm } from "node:fs/promises";
import type { AgentFolder, BranchClaim, FolderPlace } from "../git/agent-folder.ts";
import { Clone } from "../git/clone.ts";
import { FolderWorkspaces } from "./folder-workspaces.ts";

export class GitClones extends FolderWorkspaces {
  protected override createFolder(place: FolderPlace, claim: BranchClaim): Promise<AgentFolder> {
    return Clone.create(this.repository, this.objects, place, claim);
  }

  protected override openFolder(place: FolderPlace): AgentFolder {
    return Clone.open(this.repository, this.objects, place);
  }

  protected override async removeIncompleteFolder({ path }: FolderPlace): Promise<void> {
    await rm(path, { recursive: true, force: true });
  }
}

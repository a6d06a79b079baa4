// Version control by git alone: branches, and pull requests without a forge.

import type { ObjectGit } from "../git/object-git.ts";
import type { Repository } from "../git/repository.ts";
import type { ConflictInfo } from "../model/merge-result.ts";
import type { BranchMergeOutcome, BranchStatus, LandingMarker, MergeBranchRequest } from "../vcs/branches.ts";
import { GitBranches } from "../vcs/git-branches.ts";
import { GitPullRequests } from "../vcs/git-pull-requests.ts";
import type { Vcs } from "../vcs/vcs.ts";

export class GitVcs extends GitPullRequests implements Vcs {
  readonly #branches: GitBranches;

  constructor(repository: Repository, objects: ObjectGit) {
    super(repository, objects);
    this.#branches = new GitBranches(repository, objects);
  }

  createBranch(name: string, from: string): Promise<string> {
    return this.#branches.createBranch(name, from);
  }

  mergeBranch(request: MergeBranchRequest): Promise<BranchMergeOutcome> {
    return this.#branches.mergeBranch(request);
  }

  deleteBranch(name: string, expectedHead: string, landedWith: LandingMarker): Promise<void> {
    return this.#branches.deleteBranch(name, expectedHead, landedWith);
  }

  getBranchStatus(name: string): Promise<BranchStatus> {
    return this.#branches.getBranchStatus(name);
  }

  hasConflicts(source: string, target: string): Promise<boolean> {
    return this.#branches.hasConflicts(source, target);
  }

  getConflicts(source: string, target: string): Promise<ConflictInfo> {
    return this.#branches.getConflicts(source, target);
  }
}

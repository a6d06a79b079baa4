// Branches of a git repository.

import type { ObjectGit } from "../git/object-git.ts";
import type { Repository } from "../git/repository.ts";
import { GitLandingRepository } from "./git-landing-repository.ts";
import { RepositoryBranches, type BranchesOptions } from "./repository-branches.ts";

export class GitBranches extends RepositoryBranches {
  constructor(repository: Repository, objects: ObjectGit, options: BranchesOptions = {}) {
    super(new GitLandingRepository(repository, objects), options);
  }
}

// Version control by git alone, with the changes of a pull request as a patch.

import { CodeError } from "../errors/code-error.ts";
import { branchRef } from "../git/branch-names.ts";
import type { ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import type { Repository } from "../git/repository.ts";
import { GitLandingRepository } from "./git-landing-repository.ts";
import { RepositoryVcs, type RepositoryVcsOptions } from "./repository-vcs.ts";

export class GitVcs extends RepositoryVcs {
  readonly #repository: Repository;
  readonly #objects: ObjectGit;

  constructor(repository: Repository, objects: ObjectGit, options: RepositoryVcsOptions = {}) {
    super(new GitLandingRepository(repository, objects), options);
    this.#repository = repository;
    this.#objects = objects;
  }

  /** The changes that the source would bring to the target, as a patch. Both may be branches or commits. */
  async diff(source: string, target: string): Promise<string> {
    const [to, from] = [await this.#commit(source), await this.#commit(target)];
    const options = ["--no-color", "--no-ext-diff", "--no-textconv", "--merge-base"];
    return await this.#objects.text(["diff-tree", "-p", ...options, from, to]);
  }

  async #commit(name: string): Promise<Oid> {
    const commit = isOid(name) ? name : await this.#repository.resolve(branchRef(name));
    if (commit === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${name}\` does not exist`);
    return commit;
  }
}

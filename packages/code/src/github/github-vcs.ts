// Version control with GitHub: branches and merges are local, pull requests are on GitHub. Branches are pushed before a pull
// request is about them, and a merge on GitHub is brought back before it is reported.

import type { ObjectGit } from "../git/object-git.ts";
import { isOid, type Oid } from "../git/oid.ts";
import type { Repository } from "../git/repository.ts";
import { CodeError } from "../errors/code-error.ts";
import type { LandingMarker } from "../vcs/branches.ts";
import { GitBranches } from "../vcs/git-branches.ts";
import type {
  NewPullRequest,
  PullRequest,
  PullRequestChecks,
  PullRequestMerge,
  PullRequestStatus,
} from "../vcs/pull-requests.ts";
import type { Vcs } from "../vcs/vcs.ts";
import type { GitHubOptions } from "./github-options.ts";
import { GitHubPullRequests, type ReadPullRequest } from "./github-pull-requests.ts";
import { RemoteLandings } from "./remote-landings.ts";
import { RemoteRepository } from "./remote-repository.ts";
import { UpdatedHeads } from "./updated-heads.ts";

export interface GitHubVcsParts {
  readonly repository: Repository;
  readonly objects: ObjectGit;
  readonly github: GitHubOptions;
}

/** The work that a pull request is about. */
interface ForgeWork {
  readonly marker: LandingMarker | undefined;
  readonly sourceHead: string;
  /** The heads with this work, of which the forge has the last. */
  readonly heads: readonly string[];
  /** The head of the target that the last head contains. */
  readonly onto: string | undefined;
}

export class GitHubVcs extends GitBranches implements Vcs {
  readonly isForge = true;
  readonly #pullRequests: GitHubPullRequests;
  readonly #remote: RemoteRepository;
  readonly #landings: RemoteLandings;
  readonly #updates: UpdatedHeads;
  /** By the id of the pull request. A merge is continued with `createPullRequest`, which names the work each time. */
  readonly #works = new Map<string, ForgeWork>();

  constructor({ repository, objects, github }: GitHubVcsParts) {
    super(repository, objects);
    this.#pullRequests = new GitHubPullRequests(github);
    this.#remote = new RemoteRepository(objects, github);
    this.#landings = new RemoteLandings(repository, objects, this.#remote);
    this.#updates = new UpdatedHeads(repository, objects);
  }

  /** Deletes the branch here first, where the marker of its landing is, and then on GitHub. */
  override async deleteBranch(name: string, expectedHead: string, landedWith: LandingMarker): Promise<void> {
    await super.deleteBranch(name, expectedHead, landedWith);
    await this.#remote.delete(name, [toOid(expectedHead), ...(await this.#updates.ofBranch(name))]);
  }

  /** Pushes the branches, then creates the pull request. */
  async createPullRequest(request: NewPullRequest): Promise<PullRequest> {
    const work = { marker: request.marker, sourceHead: request.sourceHead };
    const heads = isOid(request.sourceHead) ? await this.#updates.find(request, request.sourceHead) : [];
    const settled = await this.#pullRequests.findSettled(request, heads);
    if (settled !== undefined) this.#works.set(settled.id, { ...work, heads, onto: undefined });
    return settled ?? (await this.#pushAndCreate(request));
  }

  async getPullRequestStatus(id: string): Promise<PullRequestStatus> {
    const pull = await this.#pullRequests.read(id);
    if (pull.isOpen) await this.#landings.sync(pull.target);
    const status = await this.#pullRequests.getPullRequestStatus(id, this.#works.get(id)?.heads);
    if (status.kind === "merged") await this.#adopt(id, pull, status.commit);
    return status;
  }

  getPullRequestChecks(id: string): Promise<PullRequestChecks> {
    return this.#pullRequests.getPullRequestChecks(id, this.#works.get(id)?.onto);
  }

  async mergePullRequest(id: string, expectedHead: string, expectedTarget?: string): Promise<PullRequestMerge> {
    const pull = await this.#pullRequests.read(id);
    if (pull.isOpen) {
      const work = this.#works.get(id);
      const expected = work?.heads.includes(expectedHead) === true ? work.sourceHead : expectedHead;
      const { head = expected } = await this.getBranchStatus(pull.source);
      if (head !== expected) return { kind: "head-moved" };
      const synced = await this.#landings.sync(pull.target);
      if (expectedTarget !== undefined && (synced ?? (await this.#remote.head(pull.target))) !== expectedTarget)
        return { kind: "target-moved" };
    }
    const merge = await this.#pullRequests.mergePullRequest(id, expectedHead);
    if (merge.kind === "merged") await this.#adopt(id, { ...pull, head: expectedHead }, merge.commit);
    if (merge.kind !== "conflict") return merge;
    const found = await this.#landings.findConflict(pull.source, toOid(expectedHead), pull.target);
    return { ...merge, ...(found === undefined ? {} : { found }) };
  }

  closePullRequest(id: string): Promise<void> {
    return this.#pullRequests.closePullRequest(id);
  }

  /** Not for a merged or closed pull request: its branches may be deleted. */
  async #pushAndCreate(request: NewPullRequest): Promise<PullRequest> {
    for (const branch of [request.source, request.target]) await this.#requireBranch(branch);
    const work = toOid(request.sourceHead);
    const target = await this.#landings.syncHead(request.target);
    const { heads, merge, replaced } = await this.#updates.update(request, work, target);
    const head = heads.at(-1)!;
    if (replaced !== undefined && (await this.#remote.head(request.source)) === replaced)
      await this.#remote.replace(request.source, replaced, head);
    else await this.#remote.push(request.source, head);
    const pullRequest = await this.#pullRequests.createPullRequest({ ...request, sourceHead: head });
    const onto = typeof merge === "object" ? merge.onto : undefined;
    this.#works.set(pullRequest.id, { marker: request.marker, sourceHead: work, heads, onto });
    if (merge === undefined) return pullRequest;
    const found =
      merge === "conflict" ? await this.#landings.findConflict(request.source, head, request.target) : undefined;
    return { ...pullRequest, merge: found ?? merge };
  }

  async #adopt(id: string, pull: ReadPullRequest, commit: string): Promise<void> {
    await this.#landings.adopt({ ...pull, commit }, this.#works.get(id)?.marker);
  }

  async #requireBranch(name: string): Promise<void> {
    const { head } = await this.getBranchStatus(name);
    if (head === undefined) throw new CodeError("BRANCH_MISSING", `the branch \`${name}\` does not exist`);
  }
}

function toOid(commit: string): Oid {
  if (isOid(commit)) return commit;
  throw new CodeError("GIT_FAILED", `${JSON.stringify(commit)} is not the full id of a commit`);
}

// Pull requests on GitHub.
//
//   GP1. Before a pull request is created it is looked up by its branches (PQ1). An open one is used. So is a merged or a
//        closed one about the same head: a repeated call has to see that it was merged or refused.
//   GP2. Before a merge is sent the state is read, and the merge names the expected head (PQ2). If GitHub refuses the merge,
//        the state is read again: it tells a merge that has already happened, a moved head and a conflict apart.
//   GP3. As long as GitHub does not know whether a pull request can be merged, nothing is sent.
//   GP4. An approval counts for the work that was reviewed, also after its target was merged into it, and only from a
//        person who may write to the repository: anybody can review a public repository.
//   GP5. A failed check run is run once more. If it fails again, the check of the target's head tells whether the work is to
//        blame. This process remembers what it ran again, so after a crash a check may run a third time. Commit statuses
//        cannot be run again.

import type {
  NewPullRequest,
  PullRequest,
  PullRequestChecks,
  PullRequestMerge,
  PullRequests,
  PullRequestStatus,
} from "../vcs/pull-requests.ts";
import type { PullRequestBranches } from "../vcs/pull-request-refs.ts";
import { ForgeError, ForgePendingError } from "./forge-error.ts";
import type { ListedPull, PullDetails, Review } from "./github-answers.ts";
import { CheckReruns } from "./check-reruns.ts";
import { GitHubApi } from "./github-api.ts";
import { combineChecks, ofCheckRun, ofCommitStatus } from "./github-checks.ts";
import type { GitHubOptions } from "./github-options.ts";

const PENDING_MS = 5000;
const REVIEWERS: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
/** States of a review that replace an earlier one of the same person. A comment does not. */
const DECISIONS: ReadonlySet<string> = new Set(["APPROVED", "CHANGES_REQUESTED", "DISMISSED"]);
/** Another merge came first; GitHub asks for the same request again. */
const BASE_MOVED = /base branch was modified/iu;

export interface ReadPullRequest extends PullRequestBranches {
  readonly head: string;
  readonly isOpen: boolean;
}

export class GitHubPullRequests implements PullRequests {
  readonly isForge = true;
  readonly #api: GitHubApi;
  readonly #options: GitHubOptions;
  readonly #reruns: CheckReruns;

  constructor(options: GitHubOptions) {
    this.#api = new GitHubApi(options);
    this.#reruns = new CheckReruns(this.#api);
    this.#options = options;
  }

  async createPullRequest(request: NewPullRequest): Promise<PullRequest> {
    const found = await this.#find(request);
    const pull = found ?? (await this.#create(request));
    if (pull.head.sha !== request.sourceHead)
      throw new ForgePendingError(
        `pull request ${pull.number} is at ${pull.head.sha}, and not yet at ${request.sourceHead}`,
        PENDING_MS,
      );
    return toPullRequest(pull);
  }

  /** `heads` are heads with the same work, for which a review counts as well. */
  async getPullRequestStatus(id: string, heads: readonly string[] = []): Promise<PullRequestStatus> {
    const pull = await this.#api.readPull(id);
    const commit = mergedCommit(pull);
    if (commit !== undefined) return { kind: "merged", commit };
    if (pull.state === "closed") return { kind: "closed" };
    const head = pull.head.sha;
    const isApproved = hasApproval(await this.#api.reviews(id), heads.includes(head) ? heads : [head]);
    return { kind: "open", head, isApproved, isMergeable: pull.mergeable ?? undefined };
  }

  /** `target` is the head of the target, whose checks a failed one is compared with. */
  async getPullRequestChecks(id: string, target?: string): Promise<PullRequestChecks> {
    const { head } = await this.#api.readPull(id);
    const runs = await this.#api.checkRuns(head.sha);
    const { expectedChecks = [], allowNoChecks = false } = this.#options;
    const statuses = await this.#api.commitStatuses(head.sha);
    const all = [...runs.map(ofCheckRun), ...statuses.map(ofCommitStatus)];
    const checks = combineChecks(all, expectedChecks, allowNoChecks);
    if (checks.kind !== "failed") return checks;
    if (await this.#reruns.isPending(head.sha, runs)) return { kind: "pending" };
    if (target === undefined || !(await this.#hasFailed(target, checks.name))) return checks;
    return { ...checks, isBaseBroken: true };
  }

  async mergePullRequest(id: string, expectedHead: string): Promise<PullRequestMerge> {
    const settled = settledMerge(await this.#api.readPull(id), expectedHead);
    if (settled !== undefined) return settled;
    try {
      const commit = await this.#api.mergePull(id, expectedHead, this.#options.mergeMethod ?? "merge");
      return { kind: "merged", commit };
    } catch (error) {
      if (!(error instanceof ForgeError) || error.code !== "FORGE_REFUSED") throw error;
      return await this.#explainRefusal(id, expectedHead, error);
    }
  }

  async closePullRequest(id: string): Promise<void> {
    const { state } = await this.#api.readPull(id);
    if (state === "open") await this.#api.setState(id, "closed");
  }

  /** The merged or closed pull request about one of these heads, unless there is an open one. */
  async findSettled(request: NewPullRequest, heads: readonly string[]): Promise<PullRequest | undefined> {
    const found = await this.#find(request, heads);
    return found === undefined || found.state === "open" ? undefined : toPullRequest(found);
  }

  /** The branches and the head of a pull request, and whether it is open. */
  async read(id: string): Promise<ReadPullRequest> {
    const { head, base, state } = await this.#api.readPull(id);
    return { source: head.ref, target: base.ref, head: head.sha, isOpen: state === "open" };
  }

  async #find(
    { source, target, sourceHead }: NewPullRequest,
    heads: readonly string[] = [sourceHead],
  ): Promise<ListedPull | undefined> {
    const pulls = await this.#api.listPulls(source, target);
    return pulls.find(({ state }) => state === "open") ?? pulls.find(({ head }) => heads.includes(head.sha));
  }

  async #hasFailed(commit: string, name: string): Promise<boolean> {
    const runs = (await this.#api.checkRuns(commit)).map(ofCheckRun);
    const statuses = (await this.#api.commitStatuses(commit)).map(ofCommitStatus);
    return [...runs, ...statuses].some((check) => check.name === name && check.state === "failed");
  }

  async #create(request: NewPullRequest): Promise<ListedPull> {
    const { source, target, title, body } = request;
    try {
      return await this.#api.createPull(source, target, title, body);
    } catch (error) {
      // Another process may have created it since it was looked up.
      const created = error instanceof ForgeError && error.status === 422 ? await this.#find(request) : undefined;
      if (created?.state !== "open") throw error;
      return created;
    }
  }

  async #explainRefusal(id: string, expectedHead: string, error: ForgeError): Promise<PullRequestMerge> {
    const settled = settledMerge(await this.#api.readPull(id), expectedHead);
    if (settled !== undefined) return settled;
    // The status of a head that differs; what was read may be older.
    if (error.status === 409) return { kind: "head-moved" };
    if (BASE_MOVED.test(error.message)) throw new ForgePendingError(error.message, PENDING_MS);
    return { kind: "refused", reason: error.message };
  }
}

function toPullRequest({ number, head, base, html_url, state, merged_at }: ListedPull): PullRequest {
  const closed = state === "closed" && merged_at === null ? { isClosed: true as const } : {};
  return { id: String(number), source: head.ref, target: base.ref, url: html_url, ...closed };
}

/** An open pull request has a commit too: that of the merge that GitHub tried. */
function mergedCommit({ number, merged_at, merge_commit_sha }: ListedPull): string | undefined {
  if (merged_at === null) return undefined;
  if (merge_commit_sha !== null) return merge_commit_sha;
  throw new ForgePendingError(
    `GitHub does not say yet with which commit pull request ${number} was merged`,
    PENDING_MS,
  );
}

/** The result of a merge that does not have to be sent; undefined if it can be sent. */
function settledMerge(pull: PullDetails, expectedHead: string): PullRequestMerge | undefined {
  const commit = mergedCommit(pull);
  if (pull.head.sha !== expectedHead) return { kind: "head-moved" };
  if (commit !== undefined) return { kind: "merged", commit };
  if (pull.state === "closed") return { kind: "refused", reason: `pull request ${pull.number} is closed` };
  if (pull.mergeable === false) return { kind: "conflict" };
  if (pull.mergeable === null)
    throw new ForgePendingError(
      `GitHub does not know yet whether pull request ${pull.number} can be merged`,
      PENDING_MS,
    );
  return undefined;
}

function hasApproval(reviews: readonly Review[], heads: readonly string[]): boolean {
  const decisions = reviews.filter(
    ({ state, author_association, user }) => user !== null && DECISIONS.has(state) && REVIEWERS.has(author_association),
  );
  const latest = [...new Map(decisions.map((review) => [review.user?.id, review])).values()];
  if (latest.some(({ state }) => state === "CHANGES_REQUESTED")) return false;
  return latest.some(({ state, commit_id }) => state === "APPROVED" && commit_id !== null && heads.includes(commit_id));
}

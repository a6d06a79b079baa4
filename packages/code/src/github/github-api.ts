// The operations of GitHub's REST API that pull requests need.

import type { z } from "zod";
import { ForgeError } from "./forge-error.ts";
import {
  ANY,
  CHECK_RUNS,
  COMMIT_STATUSES,
  LISTED_PULL,
  LISTED_PULLS,
  MERGED_PULL,
  PULL,
  REVIEWS,
  type CheckRun,
  type CommitStatus,
  type ListedPull,
  type PullDetails,
  type Review,
} from "./github-answers.ts";
import { GitHubClient, type Send } from "./github-client.ts";
import type { GitHubOptions } from "./github-options.ts";

const PAGE_SIZE = 100;
/** More pages than a pull request can need; a server that never ends its list is not followed. */
const PAGES_MAX = 30;

interface PageNumber {
  readonly per_page: number;
  readonly page: number;
}

export class GitHubApi {
  readonly owner: string;
  readonly repository: string;
  readonly #client: GitHubClient;

  constructor(options: GitHubOptions) {
    this.owner = options.owner;
    this.repository = options.repository;
    this.#client = new GitHubClient(options);
  }

  /** The pull requests from one branch to another, the newest first, whatever their state. */
  async listPulls(source: string, target: string): Promise<readonly ListedPull[]> {
    const filter = { ...this.#names, head: `${this.owner}:${source}`, base: target, state: "all" as const };
    const pulls = await this.#client.call("the search for pull requests", LISTED_PULLS, (request) =>
      request("GET /repos/{owner}/{repo}/pulls", { ...filter, per_page: PAGE_SIZE }),
    );
    // GitHub ignores a filter that it does not understand, and the branch of a fork may have the same name.
    const fullName = `${this.owner}/${this.repository}`.toLowerCase();
    return pulls.filter(
      ({ head, base }) => head.ref === source && base.ref === target && head.repo?.full_name.toLowerCase() === fullName,
    );
  }

  async createPull(source: string, target: string, title: string, body: string): Promise<ListedPull> {
    return await this.#client.call("the creation of a pull request", LISTED_PULL, (request) =>
      request("POST /repos/{owner}/{repo}/pulls", { ...this.#names, head: source, base: target, title, body }),
    );
  }

  async readPull(id: string): Promise<PullDetails> {
    return await this.#ofPull(id, `the request for pull request ${id}`, PULL, (request, pull_number) =>
      request("GET /repos/{owner}/{repo}/pulls/{pull_number}", { ...this.#names, pull_number }),
    );
  }

  /** Merges a pull request if its head is still this one. Returns the commit. */
  async mergePull(id: string, head: string, method: "merge" | "squash" | "rebase"): Promise<string> {
    const { sha } = await this.#ofPull(id, `the merge of pull request ${id}`, MERGED_PULL, (request, pull_number) =>
      request("PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge", {
        ...this.#names,
        pull_number,
        sha: head,
        merge_method: method,
      }),
    );
    return sha;
  }

  async setState(id: string, state: "open" | "closed"): Promise<ListedPull> {
    const what = `the request that pull request ${id} be ${state}`;
    return await this.#ofPull(id, what, LISTED_PULL, (request, pull_number) =>
      request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", { ...this.#names, pull_number, state }),
    );
  }

  /** The reviews of a pull request, the oldest first. */
  async reviews(id: string): Promise<readonly Review[]> {
    return await allPages((page) =>
      this.#ofPull(id, `the request for reviews of ${id}`, REVIEWS, (request, pull_number) =>
        request("GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews", { ...this.#names, pull_number, ...page }),
      ),
    );
  }

  /** The newest check run of each name. */
  async checkRuns(commit: string): Promise<readonly CheckRun[]> {
    return await allPages(async (page) => {
      const data = await this.#client.call("the request for check runs", CHECK_RUNS, (request) =>
        request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", { ...this.#names, ref: commit, ...page }),
      );
      return data.check_runs;
    });
  }

  /** Asks the CI system to run a check once more. */
  async rerunCheck(checkRunId: number): Promise<void> {
    await this.#client.call("the request to run a check again", ANY, (request) =>
      request("POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest", {
        ...this.#names,
        check_run_id: checkRunId,
      }),
    );
  }

  /** The newest commit status of each context. */
  async commitStatuses(commit: string): Promise<readonly CommitStatus[]> {
    return await allPages(async (page) => {
      const data = await this.#client.call("the request for commit statuses", COMMIT_STATUSES, (request) =>
        request("GET /repos/{owner}/{repo}/commits/{ref}/status", { ...this.#names, ref: commit, ...page }),
      );
      return data.statuses;
    });
  }

  get #names(): { readonly owner: string; readonly repo: string } {
    return { owner: this.owner, repo: this.repository };
  }

  async #ofPull<Data>(
    id: string,
    what: string,
    schema: z.ZodType<Data>,
    send: (request: Send, number: number) => Promise<{ readonly data: unknown }>,
  ): Promise<Data> {
    const missing = `there is no pull request ${id} in ${this.owner}/${this.repository}, or the token cannot read it`;
    if (!/^[1-9]\d{0,14}$/u.test(id)) throw new ForgeError("PULL_REQUEST_MISSING", missing);
    return await this.#client
      .call(what, schema, (request) => send(request, Number(id)))
      .catch((error: unknown) => {
        if (error instanceof ForgeError && error.status === 404)
          throw new ForgeError("PULL_REQUEST_MISSING", missing, { status: 404, cause: error });
        throw error;
      });
  }
}

async function allPages<Item>(read: (page: PageNumber) => Promise<readonly Item[]>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const some = await read({ per_page: PAGE_SIZE, page });
    for (const item of some) items.push(item);
    if (some.length < PAGE_SIZE) break;
  }
  return items;
}

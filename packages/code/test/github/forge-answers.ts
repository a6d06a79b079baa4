// The bodies of a forge's answers. They are made from the examples in GitHub's description of its API.

import type { ForgeRepository } from "./forge-repository.ts";
import type { OpenApiDescription } from "./openapi-description.ts";

export interface ForgeReview {
  readonly userId: number;
  readonly state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";
  readonly commit: string;
  readonly association: string;
}

export interface ForgePull {
  readonly number: number;
  readonly source: string;
  readonly target: string;
  state: "open" | "closed";
  merged?: { readonly head: string; readonly commit: string };
  /** Null as long as the forge computes it; computed from the branches by default. */
  mergeable?: boolean | null;
  /** Whether a rule of the repository prevents the merge. */
  blocked?: boolean;
  /** The head that the forge shows, if it has not seen the last push. */
  staleHead?: string;
  reviews: ForgeReview[];
}

export interface ForgeRun {
  readonly name: string;
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion?: "success" | "failure" | "neutral" | "skipped" | "timed_out";
  readonly text?: string;
  readonly completedAt?: string;
}

export interface ForgeStatus {
  readonly context: string;
  readonly state: "pending" | "success" | "failure" | "error";
  readonly description?: string;
}

interface Example {
  [key: string]: unknown;
}

export class ForgeAnswers {
  /** By commit. */
  readonly runs: Map<string, readonly ForgeRun[]> = new Map();
  /** By commit. */
  readonly statuses: Map<string, readonly ForgeStatus[]> = new Map();
  readonly #description: OpenApiDescription;
  readonly #repository: ForgeRepository;

  constructor(description: OpenApiDescription, repository: ForgeRepository) {
    this.#description = description;
    this.#repository = repository;
  }

  head(pull: ForgePull): string {
    return pull.merged?.head ?? pull.staleHead ?? this.#repository.head(pull.source) ?? "0".repeat(40);
  }

  listedPull(pull: ForgePull): unknown {
    const [example] = this.#description.example("pull-request-simple-items") as [Example];
    return this.#fill(example, pull);
  }

  pull(pull: ForgePull): unknown {
    const example = this.#fill(this.#description.example("pull-request") as Example, pull);
    const isMergeable = pull.state === "open" ? this.#repository.isMergeable(this.head(pull), pull.target) : null;
    const mergeable = pull.mergeable === undefined ? isMergeable : pull.mergeable;
    return { ...example, merged: pull.merged !== undefined, mergeable };
  }

  reviews({ reviews }: ForgePull, query: URLSearchParams): unknown {
    const [example] = this.#description.example("pull-request-review-items") as [Example];
    return onPage(reviews, query).map(({ userId, state, commit, association }) => ({
      ...example,
      user: { ...(example["user"] as Example), id: userId },
      state,
      commit_id: commit,
      author_association: association,
    }));
  }

  checkRuns(commit: string, query: URLSearchParams): unknown {
    const { check_runs } = this.#description.example("check-run-paginated") as { readonly check_runs: [Example] };
    const runs = this.runs.get(commit) ?? [];
    const answers = onPage(runs, query).map(({ name, status, conclusion, text, completedAt }) => ({
      ...check_runs[0],
      completed_at: completedAt ?? null,
      head_sha: commit,
      name,
      status,
      conclusion: conclusion ?? null,
      output: { ...(check_runs[0]["output"] as Example), title: null, summary: null, text: text ?? null },
    }));
    return { total_count: runs.length, check_runs: answers };
  }

  combinedStatus(commit: string, query: URLSearchParams): unknown {
    const example = this.#description.example("combined-commit-status") as Example & { readonly statuses: [Example] };
    const statuses = this.statuses.get(commit) ?? [];
    const answers = onPage(statuses, query).map(({ context, state, description }) => ({
      ...example.statuses[0],
      context,
      state,
      description: description ?? null,
    }));
    return { ...example, sha: commit, total_count: statuses.length, statuses: answers };
  }

  #fill(example: Example, pull: ForgePull): Example {
    const repo = { ...((example["head"] as Example)["repo"] as Example), full_name: "octo-org/sample" };
    return {
      ...example,
      // The example lacks a field that the description requires.
      requested_teams: [],
      number: pull.number,
      state: pull.state,
      html_url: `https://example.com/octo-org/sample/pull/${pull.number}`,
      merged_at: pull.merged === undefined ? null : "2026-01-02T03:04:05Z",
      // GitHub shows the commit of a test merge as long as the pull request is open.
      merge_commit_sha: pull.merged?.commit ?? "e5bd3914e2e596debea16f433f57875b5b90bcd6",
      head: { ...(example["head"] as Example), ref: pull.source, sha: this.head(pull), repo },
      base: { ...(example["base"] as Example), ref: pull.target },
    };
  }
}

function onPage<Item>(items: readonly Item[], query: URLSearchParams): readonly Item[] {
  const size = Number(query.get("per_page") ?? 30);
  const start = (Number(query.get("page") ?? 1) - 1) * size;
  return items.slice(start, start + size);
}

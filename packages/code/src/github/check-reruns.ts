// Failed check runs that are run once more on the same commit (CODE-7).

import { ForgeError } from "./forge-error.ts";
import type { CheckRun } from "./github-answers.ts";
import type { GitHubApi } from "./github-api.ts";
import { ofCheckRun } from "./github-checks.ts";

/** How long the CI system may take to begin. After that the failure counts. */
const START_MS = 120_000;

interface Rerun {
  /** The end of the failed run: another end belongs to the second one. */
  readonly completedAt: string | null;
  readonly requestedMs: number;
}

export class CheckReruns {
  readonly #api: Pick<GitHubApi, "rerunCheck">;
  /** By commit and name. Undefined if the forge refused. */
  readonly #reruns = new Map<string, Rerun | undefined>();

  constructor(api: Pick<GitHubApi, "rerunCheck">) {
    this.#api = api;
  }

  /** Whether a failed check runs once more. It is asked to, if it has not run twice. */
  async isPending(commit: string, runs: readonly CheckRun[]): Promise<boolean> {
    const failed = runs.filter((run) => ofCheckRun(run).state === "failed");
    let isPending = false;
    for (const run of failed) if (await this.#runAgain(commit, run)) isPending = true;
    return isPending;
  }

  async #runAgain(commit: string, { id, name, completed_at }: CheckRun): Promise<boolean> {
    const key = `${commit}/${name}`;
    if (!this.#reruns.has(key)) {
      const isAccepted = await this.#request(id);
      this.#reruns.set(key, isAccepted ? { completedAt: completed_at, requestedMs: Date.now() } : undefined);
      return isAccepted;
    }
    const rerun = this.#reruns.get(key);
    if (rerun === undefined || rerun.completedAt !== completed_at) return false;
    return Date.now() < rerun.requestedMs + START_MS;
  }

  /** A token without the permission, or a check that cannot run again, is refused. */
  async #request(id: number): Promise<boolean> {
    try {
      await this.#api.rerunCheck(id);
      return true;
    } catch (error) {
      if (error instanceof ForgeError && error.status !== undefined && error.status < 500) return false;
      throw error;
    }
  }
}

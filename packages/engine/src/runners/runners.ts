// All runners as one: which of them carries out an attempt follows from its action.

import type { Attempt, Runner, Running } from "./runner.ts";

export interface RunnerKinds {
  readonly functions: Runner;
  readonly threads: Runner;
  readonly processes: Runner;
  readonly http: Runner;
}

export class Runners implements Runner {
  readonly #kinds: RunnerKinds;
  readonly #all: readonly Runner[];

  constructor(kinds: RunnerKinds) {
    this.#kinds = kinds;
    this.#all = Object.values(kinds) as Runner[];
  }

  start(attempt: Attempt): Running {
    // Functions first: there are the most of them, and they take the least time.
    return attempt.own === undefined ? this.#kindOf(attempt).start(attempt) : this.#kinds.functions.start(attempt);
  }

  #kindOf({ action }: Attempt): Runner {
    switch (action.kind) {
      case "run":
      case "exec":
        return this.#kinds.processes;
      case "http":
        return this.#kinds.http;
      case "agent":
        return this.#kinds.threads;
    }
  }

  get turnsToWait(): number {
    return Math.max(this.#kinds.functions.turnsToWait, this.#kinds.processes.turnsToWait);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#all.map((runner) => runner.idle()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(async (runner) => runner.close?.()));
  }
}

// Selects the runner for an attempt by its action.

import type { Attempt, Runner, RunningAttempt } from "./runner.ts";

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

  start(attempt: Attempt): RunningAttempt {
    // Checked first, because functions on the engine's own thread are the most frequent and the fastest attempts.
    return attempt.mainThreadAgent === undefined
      ? this.#runnerFor(attempt).start(attempt)
      : this.#kinds.functions.start(attempt);
  }

  #runnerFor({ action }: Attempt): Runner {
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

  get commitDelayTicks(): number {
    return Math.max(this.#kinds.functions.commitDelayTicks, this.#kinds.processes.commitDelayTicks);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#all.map((runner) => runner.idle()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(async (runner) => runner.close?.()));
  }
}

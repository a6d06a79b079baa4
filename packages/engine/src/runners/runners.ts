// Selects the runner for an attempt: by its action, and for an agent also by the thread that the agent runs on.

import type { Attempt, Runner, AttemptHandle } from "./runner.ts";

export interface RunnersByKind {
  readonly mainThread: Runner;
  readonly workerThreads: Runner;
  readonly processes: Runner;
  readonly http: Runner;
}

export class Runners implements Runner {
  readonly #byKind: RunnersByKind;
  readonly #all: readonly Runner[];

  constructor(byKind: RunnersByKind) {
    this.#byKind = byKind;
    this.#all = Object.values(byKind) as Runner[];
  }

  start(attempt: Attempt): AttemptHandle {
    // Checked first, because main-thread agents are the most frequent and the fastest attempts.
    return attempt.mainThreadAgent === undefined
      ? this.#runnerFor(attempt).start(attempt)
      : this.#byKind.mainThread.start(attempt);
  }

  #runnerFor({ action }: Attempt): Runner {
    switch (action.kind) {
      case "run":
      case "exec":
        return this.#byKind.processes;
      case "http":
        return this.#byKind.http;
      case "agent":
        return this.#byKind.workerThreads;
    }
  }

  get commitDelayTicks(): number {
    return Math.max(this.#byKind.mainThread.commitDelayTicks, this.#byKind.processes.commitDelayTicks);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#all.map((runner) => runner.idle()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(async (runner) => runner.close?.()));
  }
}

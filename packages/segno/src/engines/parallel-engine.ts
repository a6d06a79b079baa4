// Runs tasks concurrently, level by level, up to a limit; the first failure stops the rest (ENGINES-3).

import { dependencyStrategy, levelStrategy, type TaskStrategy } from "./task-strategy.ts";
import type { OptionRule } from "@segno/engine";
import { checkedOptions, ENGINE_RULES, type ExecutionEngineOptions } from "./execution-engine-options.ts";
import { ExecutionEngine } from "./execution-engine.ts";
import type { TaskPlan } from "./task-plan.ts";

/** Options of a `ParallelEngine`. */
export interface ParallelEngineOptions extends ExecutionEngineOptions {
  /** The maximum number of concurrent tasks of one workflow. The default is 4. */
  readonly maxWorkers?: number;
  /** With `false` a task begins as soon as its own dependencies have ended, independent of levels (ruling 15). */
  readonly barrier?: boolean;
}

const WORKERS = 4;

const RULES: Readonly<Record<keyof ParallelEngineOptions, OptionRule>> = {
  ...ENGINE_RULES,
  maxWorkers: {
    expected: "a whole number above 0",
    fits: (value) => Number.isInteger(value) && (value as number) >= 1,
  },
  barrier: { expected: "true or false", fits: (value) => typeof value === "boolean" },
};

/** Runs the tasks of a level side by side. The next level begins when all of them have ended, unless `barrier` is false. */
export class ParallelEngine extends ExecutionEngine {
  readonly #maxWorkers: number;
  readonly #barrier: boolean;

  constructor(options: ParallelEngineOptions = {}) {
    const { maxWorkers = WORKERS, barrier = true } = checkedOptions("a parallel engine", options, RULES);
    super(options, maxWorkers);
    this.#maxWorkers = maxWorkers;
    this.#barrier = barrier;
  }

  protected override arrange(plan: TaskPlan): TaskStrategy {
    return this.#barrier ? levelStrategy(plan, this.#maxWorkers) : dependencyStrategy(plan, this.#maxWorkers);
  }
}

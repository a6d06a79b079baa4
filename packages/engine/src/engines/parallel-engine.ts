// Tasks side by side, level after level, so many at once; the first failure stops the rest (ENGINES-3).

import { byDependency, byLevel, type Arrangement } from "./arrangement.ts";
import { invalidOption } from "../options/option-error.ts";
import type { ExecutionEngineOptions } from "./execution-engine-options.ts";
import { ExecutionEngine } from "./execution-engine.ts";
import type { TaskPlan } from "./task-plan.ts";

export interface ParallelEngineOptions extends ExecutionEngineOptions {
  /** Tasks of one workflow at once; 4 when it is absent. */
  readonly maxWorkers?: number;
  /** With `false` a task begins as soon as its own dependencies have ended, whatever its level does (ruling 15). */
  readonly barrier?: boolean;
}

const WORKERS = 4;

export class ParallelEngine extends ExecutionEngine {
  readonly #maxWorkers: number;
  readonly #barrier: boolean;

  constructor(options: ParallelEngineOptions = {}) {
    const { maxWorkers = WORKERS, barrier = true } = options;
    if (!Number.isInteger(maxWorkers) || maxWorkers < 1)
      throw invalidOption("maxWorkers", "a whole number above 0", maxWorkers);
    super(options, maxWorkers);
    this.#maxWorkers = maxWorkers;
    this.#barrier = barrier;
  }

  protected override arrange(plan: TaskPlan): Arrangement {
    return this.#barrier ? byLevel(plan, this.#maxWorkers) : byDependency(plan, this.#maxWorkers);
  }
}

// Runs one task after the other, in the order of `getExecutionOrder`, until one fails (ENGINES-3).

import { sequentialStrategy, type TaskStrategy } from "./task-strategy.ts";
import { checkedOptions, ENGINE_RULES, type ExecutionEngineOptions } from "./execution-engine-options.ts";
import { ExecutionEngine } from "./execution-engine.ts";
import type { TaskPlan } from "./task-plan.ts";

/** Runs tasks one after the other, in an order in which every task follows its dependencies. */
export class SequentialEngine extends ExecutionEngine {
  constructor(options: ExecutionEngineOptions = {}) {
    super(checkedOptions("a sequential engine", options, ENGINE_RULES), 1);
  }

  protected override arrange(plan: TaskPlan): TaskStrategy {
    return sequentialStrategy(plan);
  }
}

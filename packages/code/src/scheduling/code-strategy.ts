// The engine's strategy for code workflows: it lets the scheduling strategy of the executor choose among the tasks that
// are ready.
//
//   CS1. Merges, fixes and all other steps go first, first in, first out: they finish work that was begun.
//   CS2. A strategy that fails ends its workflow. The engine has to start a step all the same, so the first one is chosen;
//        it waits for the cancellation and starts no agent.

import type { CustomStrategy, ReadyStep, StrategyContext } from "@segno/engine";
import type { CodeTask } from "../model/task.ts";
import type { WorkflowContext } from "../model/workflow-context.ts";
import { chooseTask, type SchedulingStrategy } from "./scheduling-strategy.ts";

/** The workflows that a strategy of the engine schedules. */
export interface ScheduledWorkflows {
  readonly strategy: SchedulingStrategy;
  /** Undefined if the execution is not a code workflow of this executor. */
  find(execution: string): ScheduledWorkflow | undefined;
  /** The strategy failed (CS2). */
  fail(execution: string, error: unknown): void;
}

/** A workflow whose tasks a strategy orders. */
export interface ScheduledWorkflow {
  readonly context: WorkflowContext;
  /** The task of a step; undefined if the step is not the session of a task. */
  taskOf(step: ReadyStep): CodeTask | undefined;
  /** The position of a task in the order of creation. */
  positionOf(task: CodeTask): number;
}

/** An engine's strategy for code workflows. It lets the scheduling strategy of the executor choose among the ready tasks. */
export class CodeStrategy implements CustomStrategy {
  readonly #executors = new Set<ScheduledWorkflows>();

  /** Returns how to detach. */
  attach(workflows: ScheduledWorkflows): () => void {
    this.#executors.add(workflows);
    return () => void this.#executors.delete(workflows);
  }

  select(ready: readonly ReadyStep[], { execution }: StrategyContext): ReadyStep {
    for (const executor of this.#executors) {
      const workflow = executor.find(execution);
      if (workflow !== undefined) return selectStep(ready, workflow, executor);
    }
    return ready[0]!;
  }
}

/** A strategy for `Engine.open`, if a program opens the engine of its executor itself. */
export function codeStrategy(): CodeStrategy {
  return new CodeStrategy();
}

/** Chooses among the steps of one workflow (CS1). */
export function selectStep(
  ready: readonly ReadyStep[],
  workflow: ScheduledWorkflow,
  executor: Pick<ScheduledWorkflows, "strategy" | "fail">,
): ReadyStep {
  const steps = new Map<CodeTask, ReadyStep>();
  const others: ReadyStep[] = [];
  for (const step of ready) {
    const task = workflow.taskOf(step);
    if (task === undefined) others.push(step);
    else steps.set(task, step);
  }
  if (others.length > 0) return others.reduce((first, step) => (step.waitedMs > first.waitedMs ? step : first));
  try {
    const tasks = [...steps.keys()].toSorted((a, b) => workflow.positionOf(a) - workflow.positionOf(b));
    return steps.get(chooseTask(executor.strategy, tasks, workflow.context))!;
  } catch (error) {
    executor.fail(workflow.context.workflowId, error);
    return ready[0]!;
  }
}

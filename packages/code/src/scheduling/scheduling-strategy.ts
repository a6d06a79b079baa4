// Strategies choose the next task among those that are ready.
//
//   SS1. A strategy answers at once: a promise is not an answer.
//   SS2. A strategy chooses one of the tasks that it was given. Everything else is an error of the strategy
//        (STRATEGY_INVALID).

import { thrownMessage } from "@segno/kernel/thrown-text";
import { CodeError } from "../errors/code-error.ts";
import type { CodeTask } from "../model/task.ts";
import type { WorkflowContext } from "../model/workflow-context.ts";

/** The part of a task that the default strategies read. */
export type RankedTask = Pick<CodeTask, "id" | "priority">;

/** Chooses the next of the ready tasks. */
export interface SchedulingStrategy<Ready extends RankedTask = CodeTask> {
  /** Returns one of the ready tasks. */
  selectTask(readyTasks: readonly Ready[], context: WorkflowContext): Ready;
}

/** The names of the built-in strategies. */
export type SchedulingStrategyName = "fifo" | "priority" | "parallel";

/** The tasks come in the order in which they were created. */
export const fifoStrategy: SchedulingStrategy<RankedTask> = {
  selectTask: (readyTasks) => readyTasks[0]!,
};

/** The highest priority; among equals, the task that was created first. */
export const priorityStrategy: SchedulingStrategy<RankedTask> = {
  selectTask: (readyTasks) => readyTasks.reduce((best, task) => (task.priority > best.priority ? task : best)),
};

/** All tasks start as soon as the limits allow it, so their order matters little: they come first in, first out. */
export const parallelStrategy: SchedulingStrategy<RankedTask> = {
  selectTask: (readyTasks) => readyTasks[0]!,
};

const STRATEGIES: Readonly<Record<SchedulingStrategyName, SchedulingStrategy<RankedTask>>> = {
  fifo: fifoStrategy,
  priority: priorityStrategy,
  parallel: parallelStrategy,
};

/** A strategy by its name, or as an object. */
export function toStrategy<Ready extends RankedTask>(
  given: SchedulingStrategyName | SchedulingStrategy<Ready>,
): SchedulingStrategy<Ready> {
  if (typeof given === "string" && Object.hasOwn(STRATEGIES, given))
    return STRATEGIES[given] as unknown as SchedulingStrategy<Ready>;
  if (typeof (given as Partial<SchedulingStrategy> | null)?.selectTask === "function")
    return given as SchedulingStrategy<Ready>;
  throw invalid(`expected ${Object.keys(STRATEGIES).join(", ")} or an object with \`selectTask\``);
}

/** Asks the strategy, and checks its answer (SS2). */
export function chooseTask<Ready extends RankedTask>(
  strategy: SchedulingStrategy<Ready>,
  readyTasks: readonly Ready[],
  context: WorkflowContext,
): Ready {
  if (readyTasks.length === 0) throw new CodeError("TASK_UNKNOWN", "no task is ready, so none can be selected");
  const answer = ask(strategy, Object.freeze([...readyTasks]), context);
  if (answer instanceof Promise) {
    answer.catch(() => undefined);
    throw invalid("it returned a promise; a strategy answers at once");
  }
  const id = (answer as Partial<RankedTask> | null | undefined)?.id;
  const chosen = readyTasks.find((task) => task.id === id);
  if (chosen === undefined)
    throw invalid(
      id === undefined ? "it did not return a task" : `it chose \`${id}\`, which is not one of the ready tasks`,
    );
  return chosen;
}

function ask<Ready extends RankedTask>(
  strategy: SchedulingStrategy<Ready>,
  readyTasks: readonly Ready[],
  context: WorkflowContext,
): unknown {
  try {
    return strategy.selectTask(readyTasks, context);
  } catch (error) {
    throw invalid(`it threw: ${thrownMessage(error)}`, error);
  }
}

function invalid(reason: string, cause?: unknown): CodeError {
  return new CodeError("STRATEGY_INVALID", `the scheduling strategy is not valid: ${reason}`, cause);
}

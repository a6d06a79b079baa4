// Adapts the number of tasks at work to the processors that are free.

import type { CodeTask } from "../model/task.ts";
import type { WorkflowContext } from "../model/workflow-context.ts";
import { systemResources, type ResourceMonitor } from "./resource-monitor.ts";
import { chooseTask, priorityStrategy, type RankedTask, type SchedulingStrategy } from "./scheduling-strategy.ts";

/** The part of a processor that one task needs. */
const CPU_PER_TASK = 0.2;

/** A strategy that starts fewer tasks at once while the machine is busy. */
export class AdaptiveScheduler implements SchedulingStrategy {
  readonly #resources: ResourceMonitor;
  readonly #order: SchedulingStrategy;

  constructor(
    resourceMonitor: ResourceMonitor = systemResources,
    order: SchedulingStrategy = priorityStrategy as unknown as SchedulingStrategy,
  ) {
    this.#resources = resourceMonitor;
    this.#order = order;
  }

  /** How many tasks may be at work now. One may always be, so a busy machine slows a workflow down but never stops it. */
  maxParallel(): number {
    const tasks = Math.floor(this.#resources.getAvailable().cpu / CPU_PER_TASK);
    return Number.isNaN(tasks) ? 1 : Math.max(1, tasks);
  }

  /** The tasks that may start now: as many of the first ready tasks as the machine has room for. */
  selectTasks<Ready extends RankedTask>(readyTasks: readonly Ready[]): readonly Ready[] {
    return readyTasks.slice(0, this.maxParallel());
  }

  selectTask(readyTasks: readonly CodeTask[], context: WorkflowContext): CodeTask {
    return chooseTask(this.#order, readyTasks, context);
  }
}

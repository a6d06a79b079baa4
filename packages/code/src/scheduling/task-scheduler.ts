// Selects tasks and reports their status to the task backend. In an executor the engine starts the tasks, and asks the
// strategy that is set here (`code-strategy.ts`): this is not a second loop.

import type { CodeTask, CodeTaskResult } from "../model/task.ts";
import { bareContext, type WorkflowContext } from "../model/workflow-context.ts";
import { isTracking } from "../tasks/tracking-record.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import {
  chooseTask,
  toStrategy,
  type RankedTask,
  type SchedulingStrategy,
  type SchedulingStrategyName,
} from "./scheduling-strategy.ts";

/** Pauses and resumes the workflow where it runs. */
export interface SchedulingControl {
  pause(workflowId: string): Promise<void>;
  resume(workflowId: string): Promise<void>;
  /** Called when the strategy is replaced. Throws if the running workflows cannot use it. */
  strategyChanged(): void;
}

/** Selects the tasks of a workflow that start next, and records their progress in a task backend. */
export class TaskScheduler {
  readonly #backend: TaskBackend;
  readonly #control: SchedulingControl | undefined;
  readonly #paused = new Set<string>();
  #strategy: SchedulingStrategy;

  constructor(
    taskBackend: TaskBackend,
    strategy: SchedulingStrategyName | SchedulingStrategy = "priority",
    control?: SchedulingControl,
  ) {
    this.#backend = taskBackend;
    this.#strategy = toStrategy(strategy);
    this.#control = control;
  }

  /** The current strategy. */
  get strategy(): SchedulingStrategy {
    return this.#strategy;
  }

  /** The tasks that may start now; none while the scheduling of the workflow is paused. */
  async getReadyTasks(workflowId: string): Promise<readonly CodeTask[]> {
    if (this.#paused.has(workflowId)) return [];
    return (await this.#backend.findReadyTasks(workflowId)).filter((task) => !isTracking(task));
  }

  /** The task that the strategy prefers. */
  selectNextTask(readyTasks: readonly CodeTask[]): CodeTask;
  selectNextTask<Ready extends RankedTask>(
    readyTasks: readonly Ready[],
    strategy: SchedulingStrategyName | SchedulingStrategy<Ready>,
    context?: WorkflowContext,
  ): Ready;
  selectNextTask(
    readyTasks: readonly CodeTask[],
    strategy: SchedulingStrategyName | SchedulingStrategy = this.#strategy,
    context?: WorkflowContext,
  ): CodeTask {
    return chooseTask(toStrategy(strategy), readyTasks, context ?? bareContext(readyTasks[0]?.workflowId ?? "", ""));
  }

  /** Whether this executor owns the task now. Nobody gets a task of a workflow whose scheduling is paused. */
  async claimTask(taskId: string, executorId: string): Promise<boolean> {
    if (this.#paused.size > 0) {
      const task = await this.#backend.getTask(taskId);
      if (task !== undefined && this.#paused.has(task.workflowId)) return false;
    }
    return await this.#backend.claimTask(taskId, executorId);
  }

  /** Records that work on the task has begun. */
  async markTaskInProgress(taskId: string): Promise<void> {
    await this.#backend.updateTask(taskId, { status: "in_progress" });
  }

  /** Records the result of a task. */
  async markTaskCompleted(taskId: string, result: CodeTaskResult): Promise<void> {
    await this.#backend.completeTask(taskId, result);
  }

  /** Records the failure of a task. */
  async markTaskFailed(taskId: string, error: Error): Promise<void> {
    await this.#backend.failTask(taskId, error.message);
  }

  /** Takes effect with the next task that starts, also in workflows that run already. */
  setSchedulingStrategy(strategy: SchedulingStrategyName | SchedulingStrategy): void {
    const next = toStrategy(strategy);
    this.#control?.strategyChanged();
    this.#strategy = next;
  }

  /** Starts no further task of the workflow until `resumeScheduling`. */
  async pauseScheduling(workflowId: string): Promise<void> {
    this.#paused.add(workflowId);
    await this.#control?.pause(workflowId);
  }

  /** Lets tasks of the workflow start again. */
  async resumeScheduling(workflowId: string): Promise<void> {
    this.#paused.delete(workflowId);
    await this.#control?.resume(workflowId);
  }
}

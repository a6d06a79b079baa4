// A workflow of tasks for the task engines (ENGINES-1). Tasks can only be added.

import { randomUUID } from "node:crypto";
import { checkOptions, oneOf, type OptionRule } from "@segno/engine";
import { SegnoError, waveCount, waveSteps } from "@segno/kernel";
import { executionOrder, type ExecutionOrder, type OnCycle } from "./execution-order.ts";
import { taskDefinition, type TaskAction, type TaskDefinition, type TaskOptions } from "./task-definition.ts";
import { TaskTable } from "./task-table.ts";

/** Options of `getExecutionOrder`. */
export interface OrderOptions {
  /** `drop` leaves out the tasks of cycles and their dependants; `refuse`, the default, throws `TASK_CYCLE`. */
  readonly onCycle?: OnCycle;
}

const ORDER_OPTIONS: Readonly<Record<keyof OrderOptions, OptionRule>> = { onCycle: oneOf("refuse", "drop") };
const NAME_DEFAULT = "workflow";

/** A workflow of tasks. Add tasks to it, and give it to an engine. */
export class WorkflowDefinition {
  /** With a store, executions are found by this name and the names of tasks, so two workflows need two names. */
  readonly name: string;
  readonly #tasks = new TaskTable();

  constructor(name: string = NAME_DEFAULT) {
    if (typeof name !== "string") throw new SegnoError("DEFINITION_INVALID", "the name of the workflow is not text");
    this.name = name;
  }

  /** The tasks, in the order in which they were added. */
  get tasks(): readonly TaskDefinition[] {
    return [...this.#tasks.all];
  }

  /** The number of tasks; a compiled workflow is valid while it stays the same. */
  get size(): number {
    return this.#tasks.all.length;
  }

  /** Returns the id of the task. */
  addTask(name: string, action?: TaskAction | null, options: TaskOptions = {}): string {
    const task = taskDefinition(name, action, options?.id ?? randomUUID(), options);
    this.#tasks.add(task);
    return task.id;
  }

  /** Undefined if there is no such task. A name that several tasks share is refused (ruling 41). */
  getTask(idOrName: string): TaskDefinition | undefined {
    return this.#tasks.find(idOrName);
  }

  /** Batches of tasks: the tasks of a batch depend only on earlier batches, and can run concurrently. */
  getExecutionOrder(options: OrderOptions = {}): readonly (readonly TaskDefinition[])[] {
    const { tasks, order } = this.orderWith(options);
    return Array.from({ length: waveCount(order) }, (_, wave) =>
      Array.from(waveSteps(order, wave), (place) => tasks[place]!),
    );
  }

  /** The same in the form of the kernel, for engines. */
  orderWith(options: OrderOptions = {}): ExecutionOrder {
    checkOptions("an execution order", options, ORDER_OPTIONS);
    const { onCycle = "refuse" } = options;
    return executionOrder(this.#tasks, onCycle);
  }
}

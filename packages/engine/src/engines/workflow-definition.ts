// A workflow of tasks: what the engines run (ENGINES-1). Tasks are only ever added.

import { randomUUID } from "node:crypto";
import { SegnoError, waveCount, waveSteps } from "@segno/kernel";
import { checkOptions, oneOf, type Rule } from "../checks/option-rules.ts";
import { executionOrder, type ExecutionOrder, type OnCycle } from "./execution-order.ts";
import { taskDefinition, type TaskAction, type TaskDefinition, type TaskOptions } from "./task-definition.ts";
import { TaskTable } from "./task-table.ts";

export interface OrderOptions {
  /** `drop` leaves the tasks of cycles out, and those behind them; `refuse`, the default, throws `TASK_CYCLE`. */
  readonly onCycle?: OnCycle;
}

const ORDER_OPTIONS: Readonly<Record<keyof OrderOptions, Rule>> = { onCycle: oneOf("refuse", "drop") };
const NAME_DEFAULT = "workflow";

export class WorkflowDefinition {
  /** With a store, executions are found again by it and by the names of tasks; so two workflows need two names. */
  readonly name: string;
  readonly #tasks = new TaskTable();

  constructor(name: string = NAME_DEFAULT) {
    if (typeof name !== "string") throw new SegnoError("DEFINITION_INVALID", "the name of the workflow is no text");
    this.name = name;
  }

  get tasks(): readonly TaskDefinition[] {
    return [...this.#tasks.all];
  }

  /** How many there are; what was made of a workflow holds as long as it stays the same. */
  get size(): number {
    return this.#tasks.all.length;
  }

  /** Gives back the id of the task. */
  addTask(name: string, action?: TaskAction | null, options: TaskOptions = {}): string {
    const task = taskDefinition(name, action, options?.id ?? randomUUID(), options);
    this.#tasks.add(task);
    return task.id;
  }

  /** Nothing where there is no such task; a name that several have is refused (ruling 41). */
  getTask(idOrName: string): TaskDefinition | undefined {
    return this.#tasks.find(idOrName);
  }

  /** Batches of tasks: those of a batch depend on earlier batches only, and can run side by side. */
  getExecutionOrder(options: OrderOptions = {}): readonly (readonly TaskDefinition[])[] {
    const { tasks, order } = this.orderWith(options);
    return Array.from({ length: waveCount(order) }, (_, wave) =>
      Array.from(waveSteps(order, wave), (place) => tasks[place]!),
    );
  }

  /** The same as the kernel has it: for engines. */
  orderWith(options: OrderOptions = {}): ExecutionOrder {
    checkOptions("an execution order", options, ORDER_OPTIONS);
    const { onCycle = "refuse" } = options;
    return executionOrder(this.#tasks, onCycle);
  }
}

// A plan: the tasks of a workflow in order, level by level, with their steps.
//
//   P1. A step has the name of its task if that is a valid and unique id, and a number otherwise. Task ids are not
//       used: every process generates new ones, and an execution must find its tasks after a crash.
//   P2. A position is an index in the execution order. It implies the level, and never changes.

import { findAncestors, isForbiddenKey, neighbours } from "@segno/kernel";
import type { ExecutionOrder } from "./execution-order.ts";
import type { TaskDefinition } from "./task-definition.ts";

export interface PlannedTask {
  readonly task: TaskDefinition;
  readonly stepId: string;
  readonly position: number;
  readonly level: number;
}

/** The tasks that a task can see; `end` is the position after the last of them. */
export interface VisibleTasks {
  readonly end: number;
  isVisible(position: number): boolean;
}

const STEP_ID = /^[A-Za-z][A-Za-z0-9_-]*$/u;

export class TaskPlan {
  readonly name: string;
  /** By position. */
  readonly tasks: readonly PlannedTask[];
  /** Level `l` begins at `levels[l]` and ends where the next one begins. */
  readonly levels: Int32Array;
  readonly #order: ExecutionOrder;
  /** By index in the graph. */
  readonly #stepIds: readonly string[];
  readonly #positions: Int32Array;
  #byKey: ReadonlyMap<string, readonly PlannedTask[]> | undefined;

  constructor(name: string, order: ExecutionOrder) {
    this.name = name;
    this.#order = order;
    this.levels = order.order.waveOffsets;
    this.#stepIds = stepIds(order.tasks);
    this.#positions = new Int32Array(order.tasks.length);
    this.tasks = Array.from(order.order.steps, (place, position) => this.#planTask(place, position));
  }

  /** The tasks whose output is in a context under this key, by position. */
  under(key: string): readonly PlannedTask[] {
    this.#byKey ??= tasksByKey(this.tasks);
    return this.#byKey.get(key) ?? NO_TASKS;
  }

  /** The positions of all direct and indirect dependencies of a task. */
  ancestors(position: number): ReadonlySet<number> {
    const { graph, order } = this.#order;
    return new Set(findAncestors(graph, order.steps[position]!).map((place) => this.#positions[place]!));
  }

  /** The step ids of the direct dependencies of a task. */
  dependencies(position: number): readonly string[] {
    return Array.from(this.#dependencies(position), (place) => this.#stepIds[place]!);
  }

  isDependency(position: number, dependant: number): boolean {
    return this.#dependencies(dependant).includes(this.#order.order.steps[position]!);
  }

  /** The direct dependencies, by index in the graph. */
  #dependencies(position: number): Int32Array {
    const { graph, order } = this.#order;
    return neighbours(graph.dependencies, order.steps[position]!);
  }

  #planTask(place: number, position: number): PlannedTask {
    this.#positions[place] = position;
    const { tasks, order } = this.#order;
    return { task: tasks[place]!, stepId: this.#stepIds[place]!, position, level: order.waveOf[place]! };
  }
}

const NO_TASKS: readonly PlannedTask[] = Object.freeze([]);

function tasksByKey(tasks: readonly PlannedTask[]): ReadonlyMap<string, readonly PlannedTask[]> {
  const byKey = new Map<string, PlannedTask[]>();
  for (const planned of tasks)
    for (const key of new Set([planned.task.id, planned.task.name])) {
      const under = byKey.get(key);
      if (under === undefined) byKey.set(key, [planned]);
      else under.push(planned);
    }
  return byKey;
}

/** P1. */
function stepIds(tasks: readonly TaskDefinition[]): readonly string[] {
  const taken = new Set<string>();
  const fair = tasks.map(({ name }) => {
    const isFair = STEP_ID.test(name) && !isForbiddenKey(name) && !taken.has(name);
    if (isFair) taken.add(name);
    return isFair ? name : undefined;
  });
  return fair.map((id, place) => id ?? uniqueTaskId(place, taken));
}

function uniqueTaskId(place: number, taken: Set<string>): string {
  let id = `task-${place}`;
  while (taken.has(id)) id += "-";
  taken.add(id);
  return id;
}

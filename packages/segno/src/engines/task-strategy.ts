// Task strategies: the dependencies and the visible outputs of a task, for each way to run a plan.
//
//   A1. A task sees the outputs of those tasks that end before it in every run of the plan, and of no others. So it
//       sees the same in a retry, and after another process continues a crashed execution (DATA-10).
//   A2. Sequentially, a task depends on the one before it. Only then does nothing run while a task waits for its retry;
//       with a single slot the next task would start (ENGINES-3). Ruling 3 is about plans, which have no retries.
//   A3. By level, a task depends on the barrier after the previous level (ENGINES-7): n and m tasks have n + m edges
//       between them and not n * m. A level of one task needs no barrier.
//   A4. By dependency, a task depends on the tasks that it names, and sees their dependencies, too (ruling 15).

import type { PlannedTask, VisibleTasks, TaskPlan } from "./task-plan.ts";

/** A barrier between two levels. */
export interface GateStep {
  readonly id: string;
  readonly after: readonly string[];
}

export interface TaskStrategy {
  /** The maximum number of concurrent tasks. */
  readonly concurrency: number;
  readonly gates: readonly GateStep[];
  /** The ids of the steps that a task depends on. */
  after(task: PlannedTask): readonly string[];
  /** The visible tasks of one attempt. */
  visibleTasks(task: PlannedTask): VisibleTasks;
}

const NO_TASKS: readonly string[] = Object.freeze([]);

export function sequentialStrategy({ tasks }: TaskPlan): TaskStrategy {
  return {
    concurrency: 1,
    gates: [],
    after: ({ position }) => (position === 0 ? NO_TASKS : [tasks[position - 1]!.stepId]),
    visibleTasks: ({ position }) => allBefore(position),
  };
}

export function levelStrategy({ tasks, levels }: TaskPlan, concurrency: number): TaskStrategy {
  const ids = tasks.map(({ stepId }) => stepId);
  const groups = Array.from({ length: levels.length - 1 }, (_, level) => ids.slice(levels[level], levels[level + 1]));
  const gates = groups.map((after, level): GateStep => ({ id: `_level-${level}`, after }));
  const behind = groups.map((group, level) => Object.freeze(group.length === 1 ? group : [gates[level]!.id]));
  const sights = Array.from(levels, allBefore);
  return {
    concurrency,
    gates: gates.filter(({ after }, level) => after.length > 1 && level < gates.length - 1),
    after: ({ level }) => behind[level - 1] ?? NO_TASKS,
    visibleTasks: ({ level }) => sights[level]!,
  };
}

export function dependencyStrategy(plan: TaskPlan, concurrency: number): TaskStrategy {
  return {
    concurrency,
    gates: [],
    after: ({ position }) => plan.dependencies(position),
    visibleTasks: ({ position }) => new VisibleAncestors(plan, position),
  };
}

export function allBefore(end: number): VisibleTasks {
  return { end, isVisible: (position) => position < end };
}

/**
 * Most tasks read at most their direct dependencies. Indirect dependencies are computed on demand, at a cost of their
 * number, and dropped with the attempt: caching them for all tasks would take quadratic memory.
 */
class VisibleAncestors implements VisibleTasks {
  readonly end: number;
  readonly #plan: TaskPlan;
  #ancestors: ReadonlySet<number> | undefined;

  constructor(plan: TaskPlan, end: number) {
    this.#plan = plan;
    this.end = end;
  }

  isVisible(position: number): boolean {
    if (position >= this.end) return false;
    if (this.#ancestors === undefined && this.#plan.isDependency(position, this.end)) return true;
    this.#ancestors ??= this.#plan.ancestors(this.end);
    return this.#ancestors.has(position);
  }
}

// Arrangements: what a task waits for, and whose outputs it sees; one for each way to run a plan.
//
//   A1. A task sees the outputs of those that have ended before it in every run of the plan, and of no others. So it sees
//       the same when it is tried again and when another process goes on after a crash (DATA-10).
//   A2. One after the other, a task waits for the one before it. Only so does everybody hold still while a task waits for
//       its next attempt; with slots alone the next one would go ahead (ENGINES-3). Ruling 3 is about plans, where nothing
//       is tried again.
//   A3. By level, a task waits for the gate behind the level before, which is a barrier (ENGINES-7): n and m
//       tasks have n + m edges between them and not n * m. A level of one task is its own gate.
//   A4. By dependency, a task waits for those that it names and sees those behind them too (ruling 15).

import type { PlannedTask, VisibleTasks, TaskPlan } from "./task-plan.ts";

/** A barrier between two levels. */
export interface GateStep {
  readonly id: string;
  readonly after: readonly string[];
}

export interface TaskStrategy {
  /** How many tasks run at once. */
  readonly concurrency: number;
  readonly gates: readonly GateStep[];
  /** The ids of the steps that a task waits for. */
  after(task: PlannedTask): readonly string[];
  /** For one attempt. */
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
 * Most tasks look at their own dependencies, if at anything. Who stands behind those is found out when somebody asks for
 * it, at the cost of as many as there are, and forgotten with the attempt: kept for all tasks it would be a table of them all.
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

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

import type { PlannedTask, Sight, TaskPlan } from "./task-plan.ts";

/** A barrier between two levels. */
export interface Gate {
  readonly id: string;
  readonly after: readonly string[];
}

export interface Arrangement {
  /** How many tasks run at once. */
  readonly concurrency: number;
  readonly gates: readonly Gate[];
  /** The ids of the steps that a task waits for. */
  after(task: PlannedTask): readonly string[];
  /** For one attempt. */
  sight(task: PlannedTask): Sight;
}

const NOBODY: readonly string[] = Object.freeze([]);

export function inSequence({ tasks }: TaskPlan): Arrangement {
  return {
    concurrency: 1,
    gates: [],
    after: ({ position }) => (position === 0 ? NOBODY : [tasks[position - 1]!.stepId]),
    sight: ({ position }) => allBefore(position),
  };
}

export function byLevel({ tasks, levels }: TaskPlan, concurrency: number): Arrangement {
  const ids = tasks.map(({ stepId }) => stepId);
  const groups = Array.from({ length: levels.length - 1 }, (_, level) => ids.slice(levels[level], levels[level + 1]));
  const gates = groups.map((after, level): Gate => ({ id: `_level-${level}`, after }));
  const behind = groups.map((group, level) => Object.freeze(group.length === 1 ? group : [gates[level]!.id]));
  const sights = Array.from(levels, allBefore);
  return {
    concurrency,
    gates: gates.filter(({ after }, level) => after.length > 1 && level < gates.length - 1),
    after: ({ level }) => behind[level - 1] ?? NOBODY,
    sight: ({ level }) => sights[level]!,
  };
}

export function byDependency(plan: TaskPlan, concurrency: number): Arrangement {
  return {
    concurrency,
    gates: [],
    after: ({ position }) => plan.dependencies(position),
    sight: ({ position }) => new AncestorSight(plan, position),
  };
}

export function allBefore(end: number): Sight {
  return { end, sees: (position) => position < end };
}

/**
 * Most tasks look at their own dependencies, if at anything. Who stands behind those is found out when somebody asks for
 * it, at the cost of as many as there are, and forgotten with the attempt: kept for all tasks it would be a table of them all.
 */
class AncestorSight implements Sight {
  readonly end: number;
  readonly #plan: TaskPlan;
  #ancestors: ReadonlySet<number> | undefined;

  constructor(plan: TaskPlan, end: number) {
    this.#plan = plan;
    this.end = end;
  }

  sees(position: number): boolean {
    if (position >= this.end) return false;
    if (this.#ancestors === undefined && this.#plan.isDependency(position, this.end)) return true;
    this.#ancestors ??= this.#plan.ancestors(this.end);
    return this.#ancestors.has(position);
  }
}

// Tasks that will change the same files. `touches` is a hint for the schedule, not a permission: patterns are compared by
// their fixed beginnings, so two patterns may count as overlapping although no file matches both.
//
//   TF1. Of two tasks that overlap, the later one starts after the earlier one has landed or has failed for good: otherwise it
//        would start from files without the earlier work, and conflict with it.
//   TF2. All pairs follow one order of the tasks, in which dependencies come first. So the waits never close a cycle.

import type { TemplateTask } from "./template.ts";

/** The tasks that a task waits for because both touch the same files, by task. Its dependencies are not among them. */
export function touchedBefore(
  tasks: readonly TemplateTask[],
  hasPriorities: boolean,
): ReadonlyMap<string, readonly string[]> {
  const dependencies = new Map(tasks.map(({ id, dependsOn }) => [id, dependsOn]));
  const touching = orderTasks(tasks, hasPriorities).filter(({ touches }) => touches.length > 0);
  return new Map(
    touching.map((task, place) => {
      const overlapping = touching.slice(0, place).filter((other) => doOverlap(task, other));
      const needed = overlapping.length === 0 ? new Set<string>() : neededTasks(task.id, dependencies);
      return [task.id, overlapping.map(({ id }) => id).filter((id) => !needed.has(id))];
    }),
  );
}

/** All tasks that a task depends on, directly or through others. */
function neededTasks(id: string, dependencies: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const needed = new Set(dependencies.get(id));
  for (const other of needed) for (const each of dependencies.get(other) ?? []) needed.add(each);
  return needed;
}

/** TF2: tasks that wait for nothing come first; among those of one wave the higher priority decides, then the place. */
function orderTasks(tasks: readonly TemplateTask[], hasPriorities: boolean): readonly TemplateTask[] {
  const waves = findWaves(tasks);
  return tasks.toSorted(
    (one, other) =>
      (waves.get(one.id) ?? 0) - (waves.get(other.id) ?? 0) || (hasPriorities ? other.priority - one.priority : 0),
  );
}

/** The wave of a task is one higher than the highest of those that it depends on. A template has no cycles. */
function findWaves(tasks: readonly TemplateTask[]): ReadonlyMap<string, number> {
  const dependents = new Map<string, TemplateTask[]>(tasks.map(({ id }) => [id, []]));
  for (const task of tasks) for (const other of task.dependsOn) dependents.get(other)?.push(task);
  const open = new Map(tasks.map(({ id, dependsOn }) => [id, dependsOn.length]));
  const waves = new Map<string, number>();
  for (const { id, dependsOn } of tasks) if (dependsOn.length === 0) waves.set(id, 0);
  // The map grows while it is read: a task is added when the last of its dependencies has its wave.
  for (const [id, wave] of waves)
    for (const task of dependents.get(id)!) {
      const left = open.get(task.id)! - 1;
      open.set(task.id, left);
      if (left === 0) waves.set(task.id, wave + 1);
    }
  return waves;
}

function doOverlap(one: TemplateTask, other: TemplateTask): boolean {
  return one.touches.some((left) => other.touches.some((right) => mayOverlap(left, right)));
}

export function mayOverlap(left: string, right: string): boolean {
  const [one, other] = [parts(left), parts(right)];
  const depth = Math.min(one.length, other.length);
  for (let index = 0; index < depth; index++) {
    if (isPattern(one[index]!) || isPattern(other[index]!)) return true;
    if (one[index] !== other[index]) return false;
  }
  return true;
}

function parts(pattern: string): readonly string[] {
  return pattern.replace(/^\.?\//u, "").split("/");
}

function isPattern(part: string): boolean {
  return /[*?[\]{}]/u.test(part);
}

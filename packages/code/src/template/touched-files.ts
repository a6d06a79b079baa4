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
  const needed = neededTasks(tasks);
  const order = orderTasks(tasks, needed, hasPriorities);
  return new Map(
    order.map((task, place) => [
      task.id,
      order
        .slice(0, place)
        .filter((other) => doOverlap(task, other) && !needed.get(task.id)!.has(other.id))
        .map(({ id }) => id),
    ]),
  );
}

/** All tasks that a task depends on, directly or through others. */
function neededTasks(tasks: readonly TemplateTask[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const needed = new Map<string, Set<string>>();
  const find = (id: string): ReadonlySet<string> => {
    let found = needed.get(id);
    if (found !== undefined) return found;
    needed.set(id, (found = new Set()));
    for (const other of byId.get(id)?.dependsOn ?? []) for (const each of [other, ...find(other)]) found.add(each);
    return found;
  };
  for (const { id } of tasks) find(id);
  return needed;
}

/** TF2: a task comes after all that it needs; among the others the higher priority decides, then the place in the template. */
function orderTasks(
  tasks: readonly TemplateTask[],
  needed: ReadonlyMap<string, ReadonlySet<string>>,
  hasPriorities: boolean,
): readonly TemplateTask[] {
  const rest = hasPriorities ? tasks.toSorted((one, other) => other.priority - one.priority) : [...tasks];
  const order: TemplateTask[] = [];
  while (rest.length > 0) {
    const next = rest.findIndex(({ id }) => rest.every((other) => !needed.get(id)!.has(other.id)));
    order.push(...rest.splice(Math.max(next, 0), 1));
  }
  return order;
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

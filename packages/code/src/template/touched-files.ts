// Tasks that will change the same files. `touches` is a hint for the schedule, not a permission: patterns are compared by
// their fixed beginnings, so two patterns may count as overlapping although no file matches both.

import type { TemplateTask } from "./template.ts";

export interface Overlap {
  readonly tasks: readonly [string, string];
  /** The name of the resource that keeps the two tasks apart. */
  readonly resource: string;
}

/** The pairs of tasks that may touch the same file. A pair in which one waits for the other needs no resource. */
export function overlappingTasks(tasks: readonly TemplateTask[]): readonly Overlap[] {
  const overlaps: Overlap[] = [];
  tasks.forEach((left, index) => {
    for (const right of tasks.slice(index + 1))
      if (left.touches.some((one) => right.touches.some((other) => mayOverlap(one, other))))
        overlaps.push({ tasks: [left.id, right.id], resource: `files-${left.id}-${right.id}` });
  });
  return overlaps;
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

// How many attempts each step of a definition has in all, by the name under which people see it.

import { RETRY_DEFAULT, type Definition, type StepDefinition } from "@segno/kernel";

/** Steps of sub-workflows, and those made at run time, are not in the definition: nothing is said of them. */
export function attemptLimits({ steps }: Definition): (step: string) => number | undefined {
  const limits = new Map<string, number>();
  for (const step of steps) collect(step, step.id, limits);
  return (name) => limits.get(name.replaceAll(/\/\d+(?=\/|$)/gu, "/*"));
}

/** Items of a map are numbered; where an item is one step, its number is its name. */
function collect({ action, retry, compensate }: StepDefinition, name: string, limits: Map<string, number>): void {
  if (action.kind === "map") {
    for (const child of action.steps)
      collect(child, action.steps.length === 1 ? `${name}/*` : `${name}/*/${child.id}`, limits);
    return;
  }
  if (action.kind === "wait" || action.kind === "approve" || action.kind === "workflow") return;
  limits.set(name, retry?.attempts ?? RETRY_DEFAULT.attempts);
  if (compensate !== undefined) limits.set(`${name}/compensate`, compensate.retry?.attempts ?? RETRY_DEFAULT.attempts);
}

// The workflows that a workflow may call, directly or indirectly.
//
// An execution keeps the definitions that it began with (CONTRACT-8), including those of workflows that it has not
// called yet. They are resolved at its start and written with it, so any later owner needs only its journal.

import { stepsInside, type Definition, type StepDefinition } from "@segno/kernel";

/**
 * The references of the `workflow` steps of a definition, each once. Computed once per definition, because it may have
 * many steps.
 */
export function referencesIn({ steps }: Definition): readonly string[] {
  const found = new Set<string>();
  collect(steps, found);
  return found.size === 0 ? NONE : [...found];
}

const NONE: readonly string[] = Object.freeze([]);

function collect(steps: readonly StepDefinition[], found: Set<string>): void {
  for (const { action } of steps) {
    if (action.kind === "workflow") found.add(action.workflow);
    else collect(stepsInside(action), found);
  }
}

/** Every workflow that is called directly or indirectly, by reference. Unknown references are left out. */
export function calledWorkflows<Known extends { readonly references: readonly string[] }>(
  { references }: Known,
  known: (reference: string) => Known | undefined,
): ReadonlyMap<string, Known> {
  const called = new Map<string, Known>();
  const left = [...references];
  for (let reference = left.pop(); reference !== undefined; reference = left.pop()) {
    const found = called.has(reference) ? undefined : known(reference);
    if (found === undefined) continue;
    called.set(reference, found);
    for (const next of found.references) left.push(next);
  }
  return called;
}

// The workflows that a workflow may call, wherever in it and in those that it calls.
//
// An execution keeps the definitions that it began with (CONTRACT-8), also of what it has not called yet: they are found at its
// start and written with it, so whoever goes on with it later needs no more than its journal.

import type { Definition, StepDefinition } from "@segno/kernel";

/** What the `workflow` steps of a definition name, each once. Found once for a definition: it may have many steps. */
export function referencesIn({ steps }: Definition): readonly string[] {
  const found = new Set<string>();
  collect(steps, found);
  return found.size === 0 ? NONE : [...found];
}

const NONE: readonly string[] = Object.freeze([]);

function collect(steps: readonly StepDefinition[], found: Set<string>): void {
  for (const { action } of steps) {
    if (action.kind === "workflow") found.add(action.workflow);
    else if (action.kind === "map") collect(action.steps, found);
  }
}

/** Everything that is called, directly or not, by what names it; what nobody knows is left out. */
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

// The dependencies of the output step of a workflow.

import type { RawStep } from "@segno/contract";

type DependencyEntry = NonNullable<RawStep["dependsOn"]>[number];

/**
 * All steps except fallbacks, which run in place of their primaries (STATE-8), and sources, which end before their
 * maps.
 */
export function outputDependencies(
  steps: readonly RawStep[],
  sources: ReadonlySet<string>,
): readonly DependencyEntry[] {
  const fallbacks = new Set(steps.flatMap(({ fallback }) => fallback ?? []));
  const optional = optionalIds(steps);
  return steps
    .filter(({ id }) => !fallbacks.has(id) && !sources.has(id))
    .map(({ id }) => (optional.has(id) ? { step: id, on: "settled" } : id));
}

/**
 * Steps that may fail without failing the execution, and the steps that are skipped when one of these fails (STATE-7).
 */
function optionalIds(steps: readonly RawStep[]): ReadonlySet<string> {
  const dependants = new Map<string, string[]>();
  for (const { id, dependsOn } of steps) {
    // A value that is not a list is rejected with the rest of the document.
    const dependencies: readonly DependencyEntry[] = Array.isArray(dependsOn) ? dependsOn : [];
    for (const needed of dependencies.flatMap((dependency) => neededId(dependency) ?? [])) {
      const others = dependants.get(needed);
      if (others === undefined) dependants.set(needed, [id]);
      else others.push(id);
    }
  }
  const optional = new Set(steps.filter(({ onError }) => onError === "continue").map(({ id }) => id));
  for (const id of optional) for (const dependant of dependants.get(id) ?? []) optional.add(dependant);
  return optional;
}

function neededId(dependency: DependencyEntry | null | undefined): string | undefined {
  if (typeof dependency === "string") return dependency;
  if (dependency === null || dependency === undefined) return undefined;
  return dependency.on === "settled" ? undefined : dependency.step;
}

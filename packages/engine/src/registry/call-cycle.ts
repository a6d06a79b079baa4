// Finds workflows that call each other in a cycle and could never end. Only unconditional calls count.

import { unconditionalCalls, type Definition } from "@segno/kernel";

/** A workflow, and the workflows that it calls unconditionally. */
export interface Caller {
  readonly name: string;
  readonly calls: readonly string[];
}

/** Computed once per definition, because a definition may have many steps and few calls. */
export function toCaller({ name, steps }: Definition): Caller {
  return { name, calls: unconditionalCalls(steps).map(({ workflow }) => workflow) };
}

/**
 * The names along the first cycle that is reachable from a workflow, with its start at both ends; undefined if there is
 * none.
 */
export function callCycle(
  first: Caller,
  callerNamed: (name: string) => Caller | undefined,
): readonly string[] | undefined {
  return follow([first], new Set(), callerNamed);
}

function follow(
  path: readonly Caller[],
  ended: Set<Caller>,
  callerNamed: (name: string) => Caller | undefined,
): readonly string[] | undefined {
  const last = path.at(-1)!;
  for (const name of last.calls) {
    const next = callerNamed(name);
    if (next === undefined || ended.has(next)) continue;
    const first = path.indexOf(next);
    if (first >= 0) return [...path.slice(first), next].map((each) => each.name);
    const found = follow([...path, next], ended, callerNamed);
    if (found !== undefined) return found;
  }
  ended.add(last);
  return undefined;
}

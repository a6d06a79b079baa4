// Workflows that call each other in a circle and could never end. Only calls that are sure to be made count.

import { unconditionalCalls, type Definition } from "@segno/kernel";

/** A workflow, and those that it is sure to call. */
export interface Caller {
  readonly name: string;
  readonly calls: readonly string[];
}

/** Found once for a definition: it may have many steps, and hardly any of them are calls. */
export function toCaller({ name, steps }: Definition): Caller {
  return { name, calls: unconditionalCalls(steps).map(({ workflow }) => workflow) };
}

/** The names along the first circle that a workflow leads to, its beginning at both ends; nothing when there is none. */
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

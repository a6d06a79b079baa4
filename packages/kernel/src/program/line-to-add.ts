// The line of a hint that adds the missing dependencies of a step.
//
//   L1. The line never makes a cycle: steps that wait for the step itself, directly or not, are left out.
//   L2. Fallbacks have no dependencies and no dependants of their own (STATE-8), so their primaries are named instead.
//   L3. The search for cycles is bounded for all hints of a graph together; beyond that there are no hints.

import { fallbackChains, type FallbackChains } from "../graph/fallback-chains.ts";
import type { Graph } from "../graph/graph.ts";
import { NAMED_MAX } from "./precedence-queries.ts";
import type { ReadScope } from "./compile-scope.ts";

/** The number of edges that are visited for all hints of a graph. */
const EDGES_MAX = 4_000_000;

/** Undefined if each of them waits for the step itself. */
export function lineToAdd(scope: ReadScope, steps: readonly number[], step: number): string | undefined {
  const state = searchStateFor(scope.graph);
  const target = state.chains.root[step]!;
  const roots = [...new Set(steps.map((each) => state.chains.root[each]!))];
  const behind = stepsAfter(scope.graph, target, state);
  const missing = behind === undefined ? [] : roots.filter((root) => !behind.has(root));
  return missing.length === 0 ? undefined : suggestedLine(scope, missing, target);
}

/** A clean-up step must run even if a further dependency failed, so the hint shows the settled form for it. */
function suggestedLine(scope: ReadScope, steps: readonly number[], target: number): string {
  const { id, dependsOn = [] } = scope.definition.steps[target]!;
  const on = dependsOn.some((each) => each.on === "settled") ? "settled" : "succeeded";
  const missing = steps.slice(0, NAMED_MAX).map((step) => ({ step: scope.graph.ids[step]!, on }));
  const lines = [...dependsOn.slice(0, NAMED_MAX), ...missing].map((each) =>
    each.on === "settled" ? `{ step: ${each.step}, on: settled }` : each.step,
  );
  if (dependsOn.length > NAMED_MAX) lines.splice(NAMED_MAX, 0, "…");
  if (steps.length > NAMED_MAX) lines.push("…");
  return `add to \`${id}\`: dependsOn: [${lines.join(", ")}]`;
}

interface SearchState {
  readonly chains: FallbackChains;
  edgesLeft: number;
}

const SEARCH_STATES = new WeakMap<Graph, SearchState>();

function searchStateFor(graph: Graph): SearchState {
  const known = SEARCH_STATES.get(graph) ?? { chains: fallbackChains(graph), edgesLeft: EDGES_MAX };
  SEARCH_STATES.set(graph, known);
  return known;
}

/** The step itself and all its descendants, also through disabled steps. */
function stepsAfter(graph: Graph, step: number, state: SearchState): ReadonlySet<number> | undefined {
  const steps = new Set([step]);
  const { offsets, targets } = graph.dependants;
  for (const each of steps) {
    state.edgesLeft -= offsets[each + 1]! - offsets[each]!;
    if (state.edgesLeft < 0) return undefined;
    for (let edge = offsets[each]!; edge < offsets[each + 1]!; edge++) steps.add(targets[edge]!);
  }
  return steps;
}

// Reachability
//
// Job: finds the ancestors and descendants of a step, over any number of edges, without recursion. Disabled steps can be left out:
// they delay no step, so a path through one proves no order.

import { EDGE_FALLBACK, type Adjacency, type Graph } from "./graph.ts";

/** Every enabled step that has ended before `step` starts, in declaration order. */
export function findAncestors(graph: Graph, step: number): readonly number[] {
  return walk(graph, graph.dependencies, step);
}

/** Every enabled step that cannot start before `step` has ended, in declaration order. */
export function findDependants(graph: Graph, step: number): readonly number[] {
  return walk(graph, graph.dependants, step);
}

function walk(graph: Graph, adjacency: Adjacency, start: number): readonly number[] {
  const seen = new Set<number>();
  const stack = [start];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const end = adjacency.offsets[node + 1]!;
    for (let edge = adjacency.offsets[node]!; edge < end; edge++) {
      const next = adjacency.targets[edge]!;
      if (graph.disabled[next] === 1 || seen.has(next)) continue;
      seen.add(next);
      stack.push(next);
    }
  }
  return [...seen].toSorted((a, b) => a - b);
}

/** The primary of `step`, if it is a fallback (STATE-8). */
export function findPrimary(graph: Graph, step: number): number | undefined {
  const { offsets, targets, kinds } = graph.dependencies;
  for (let edge = offsets[step]!; edge < offsets[step + 1]!; edge++) {
    if (kinds[edge] === EDGE_FALLBACK) return targets[edge];
  }
  return undefined;
}

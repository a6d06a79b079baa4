// Fallback chains: a step, its fallback, the fallback of that fallback, and so on. A chain is one position in the order.

import { EDGE_FALLBACK, EDGE_SETTLED, type Graph } from "./graph.ts";

export interface FallbackChains {
  /** The first primary of each step's chain; the step itself if it is not a fallback. */
  readonly root: Int32Array;
  /** How many steps come before it in its chain. */
  readonly depth: Int32Array;
  /** 1 if the step, or a primary in its chain, has a settled dependency (STATE-6). */
  readonly isCleanUp: Uint8Array;
}

/** One pass in topological order, so that a primary is handled before its fallback. A step on a cycle is its own chain. */
export function fallbackChains(graph: Graph): FallbackChains {
  const root = Int32Array.from({ length: graph.size }, (_, step) => step);
  const depth = new Int32Array(graph.size);
  const isCleanUp = new Uint8Array(graph.size);
  const { offsets, targets, kinds } = graph.dependencies;
  for (const step of graph.topological) {
    let primary = -1;
    for (let edge = offsets[step]!; edge < offsets[step + 1]!; edge++) {
      if (kinds[edge] === EDGE_SETTLED) isCleanUp[step] = 1;
      if (kinds[edge] === EDGE_FALLBACK && primary < 0) primary = targets[edge]!;
    }
    if (primary < 0) continue;
    root[step] = root[primary]!;
    depth[step] = depth[primary]! + 1;
    if (isCleanUp[primary] === 1) isCleanUp[step] = 1;
  }
  return { root, depth, isCleanUp };
}

// Order
//
// Job: the one order of a plan, whatever the mode (GRAPH-2): wave after wave, and within a wave by declaration. Disabled steps are
// in no wave and delay no step (GRAPH-5).
// Not its job: when a step may run. That depends only on its own dependencies, never on a wave.

import type { Graph } from "./graph.ts";

/** The waves of a graph, and the place of each step in them. */
export interface Order {
  /** Every enabled step, by wave, then by declaration. */
  readonly steps: Int32Array;
  /** Wave `w` is `steps[waveOffsets[w]] … steps[waveOffsets[w + 1] - 1]`. */
  readonly waveOffsets: Int32Array;
  /** Wave of each step; -1 for disabled ones. */
  readonly waveOf: Int32Array;
}

/** Depths in topological order, then a counting sort by depth: O(V + E). The graph must have no cycle. */
export function computeOrder(graph: Graph): Order {
  const waveIndex = waves(graph);
  let count = 0;
  for (const wave of waveIndex) count = Math.max(count, wave + 1);
  const waveOffsets = new Int32Array(count + 1);
  for (const wave of waveIndex) if (wave >= 0) waveOffsets[wave + 1]!++;
  for (let wave = 0; wave < count; wave++) waveOffsets[wave + 1]! += waveOffsets[wave]!;
  const next = waveOffsets.slice();
  const steps = new Int32Array(waveOffsets[count]!);
  for (let step = 0; step < graph.size; step++) {
    const wave = waveIndex[step]!;
    if (wave >= 0) steps[next[wave]!++] = step;
  }
  return { steps, waveOffsets, waveOf: waveIndex };
}

export function waveCount(order: Order): number {
  return order.waveOffsets.length - 1;
}

export function waveSteps(order: Order, wave: number): Int32Array {
  return order.steps.subarray(order.waveOffsets[wave], order.waveOffsets[wave + 1]);
}

/** The depth of each step below the steps without dependencies; a disabled step does not add to the depth. */
function waves(graph: Graph): Int32Array {
  const waveIndex = new Int32Array(graph.size);
  const { offsets, targets } = graph.dependants;
  for (const step of graph.topological) {
    if (graph.disabled[step] === 1) {
      waveIndex[step] = -1;
      continue;
    }
    const depth = waveIndex[step]! + 1;
    const end = offsets[step + 1]!;
    for (let edge = offsets[step]!; edge < end; edge++) {
      const dependant = targets[edge]!;
      if (waveIndex[dependant]! < depth) waveIndex[dependant] = depth;
    }
  }
  return waveIndex;
}

/** The number of enabled steps that each step waits for: the counts at the start of an execution (STATE-3). */
export function enabledDependencyCounts(graph: Graph): Int32Array {
  const counts = new Int32Array(graph.size);
  const { offsets, targets } = graph.dependencies;
  for (let step = 0; step < graph.size; step++) {
    const end = offsets[step + 1]!;
    for (let edge = offsets[step]!; edge < end; edge++) if (graph.disabled[targets[edge]!] === 0) counts[step]!++;
  }
  return counts;
}

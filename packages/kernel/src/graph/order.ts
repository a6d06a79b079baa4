// Order
//
// Job: the one order in which a plan is read and emitted, whatever the mode (GRAPH-2): wave after wave, and inside
// a wave as declared. Disabled steps are in no wave and hold nobody up (GRAPH-5).
// Not its job: when a step may run; that follows from its own dependencies alone, never from a wave.

import type { Graph } from "./graph.ts";

export interface Order {
  /** Every enabled step, by wave, then by declaration. */
  readonly steps: Int32Array;
  /** Wave `w` is `steps[waveOffsets[w]] … steps[waveOffsets[w + 1] - 1]`. */
  readonly waveOffsets: Int32Array;
  /** Wave of each step; -1 for disabled ones. */
  readonly waveOf: Int32Array;
}

/** Depths in topological order, then a counting sort by depth: O(V + E). The graph has no cycle. */
export function computeOrder(graph: Graph): Order {
  const waveOf = waves(graph);
  let count = 0;
  for (const wave of waveOf) count = Math.max(count, wave + 1);
  const waveOffsets = new Int32Array(count + 1);
  for (const wave of waveOf) if (wave >= 0) waveOffsets[wave + 1]!++;
  for (let wave = 0; wave < count; wave++) waveOffsets[wave + 1]! += waveOffsets[wave]!;
  const next = waveOffsets.slice();
  const steps = new Int32Array(waveOffsets[count]!);
  for (let step = 0; step < graph.size; step++) {
    const wave = waveOf[step]!;
    if (wave >= 0) steps[next[wave]!++] = step;
  }
  return { steps, waveOffsets, waveOf };
}

export function waveCount(order: Order): number {
  return order.waveOffsets.length - 1;
}

export function waveSteps(order: Order, wave: number): Int32Array {
  return order.steps.subarray(order.waveOffsets[wave], order.waveOffsets[wave + 1]);
}

/** The depth of each step below the steps that wait for nothing; disabled ones pass nothing on. */
function waves(graph: Graph): Int32Array {
  const waveOf = new Int32Array(graph.size);
  const { offsets, targets } = graph.dependants;
  for (const step of graph.topological) {
    if (graph.disabled[step] === 1) {
      waveOf[step] = -1;
      continue;
    }
    const depth = waveOf[step]! + 1;
    const end = offsets[step + 1]!;
    for (let edge = offsets[step]!; edge < end; edge++) {
      const dependant = targets[edge]!;
      if (waveOf[dependant]! < depth) waveOf[dependant] = depth;
    }
  }
  return waveOf;
}

/** How many enabled steps each step waits for: the counts that an execution starts with (STATE-3). */
export function enabledDependencyCounts(graph: Graph): Int32Array {
  const counts = new Int32Array(graph.size);
  const { offsets, targets } = graph.dependencies;
  for (let step = 0; step < graph.size; step++) {
    const end = offsets[step + 1]!;
    for (let edge = offsets[step]!; edge < end; edge++) if (graph.disabled[targets[edge]!] === 0) counts[step]!++;
  }
  return counts;
}

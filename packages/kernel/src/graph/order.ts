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

/** Kahn's algorithm for the depth of each step, then a counting sort by depth: O(V + E). The graph has no cycle. */
export function orderOf(graph: Graph): Order {
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

function waves(graph: Graph): Int32Array {
  const waveOf = new Int32Array(graph.size);
  const unmet = enabledDependencyCounts(graph);
  const queue = new Int32Array(graph.size);
  let tail = 0;
  for (let step = 0; step < graph.size; step++) {
    if (graph.disabled[step] === 1) waveOf[step] = -1;
    else if (unmet[step] === 0) queue[tail++] = step;
  }
  const { offsets, targets } = graph.dependants;
  for (let head = 0; head < tail; head++) {
    const step = queue[head]!;
    const depth = waveOf[step]! + 1;
    const end = offsets[step + 1]!;
    for (let edge = offsets[step]!; edge < end; edge++) {
      const dependant = targets[edge]!;
      if (graph.disabled[dependant] === 1) continue;
      if (waveOf[dependant]! < depth) waveOf[dependant] = depth;
      if (--unmet[dependant]! === 0) queue[tail++] = dependant;
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

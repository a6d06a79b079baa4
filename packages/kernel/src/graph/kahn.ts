// Kahn's algorithm: every node after all nodes that it depends on. Nodes on a cycle or behind one are never reached.

import type { Adjacency } from "./graph.ts";

export function kahnOrder(size: number, dependencies: Adjacency, dependants: Adjacency): Int32Array {
  const unmet = new Int32Array(size);
  const order = new Int32Array(size);
  let tail = 0;
  for (let node = 0; node < size; node++) {
    unmet[node] = dependencies.offsets[node + 1]! - dependencies.offsets[node]!;
    if (unmet[node] === 0) order[tail++] = node;
  }
  const { offsets, targets } = dependants;
  for (let head = 0; head < tail; head++) {
    const node = order[head]!;
    const end = offsets[node + 1]!;
    for (let edge = offsets[node]!; edge < end; edge++) {
      const dependant = targets[edge]!;
      if (--unmet[dependant]! === 0) order[tail++] = dependant;
    }
  }
  return order.subarray(0, tail);
}

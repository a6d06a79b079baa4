// Precedence: whether one step has ended when another one starts.
//
//   Q1. A path through a disabled step proves nothing, because a disabled step holds nobody up; its end may be one.
//   Q2. A fallback has ended when the place of its primary is settled, so it is before whatever its primary is before.
//   Q3. Nothing declared to run before `step` is walked when asking for `step`, so a read of a near step costs little.

import { EDGE_FALLBACK, type Graph } from "./graph.ts";
import { primaryOf } from "./reachability.ts";

export class Precedence {
  readonly #graph: Graph;
  /** Place of each step in the order; steps behind a cycle have none and are always walked. */
  readonly #rank: Int32Array;
  readonly #seen: Int32Array;
  #walk = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#rank = new Int32Array(graph.size).fill(graph.size);
    graph.topological.forEach((step, rank) => (this.#rank[step] = rank));
    this.#seen = new Int32Array(graph.size);
  }

  isBefore(step: number, reader: number): boolean {
    let target = step;
    // At most one hop a step, because fallbacks that are each other's go round for ever.
    for (let hop = 0; hop < this.#graph.size; hop++) {
      const primary = primaryOf(this.#graph, target);
      if (primary === undefined || primary === reader) break;
      target = primary;
    }
    return target !== reader && this.#reaches(target, reader);
  }

  /** Backwards from the reader, depth first, with a stack of its own. */
  #reaches(target: number, reader: number): boolean {
    const { offsets, targets } = this.#graph.dependencies;
    const stack = [reader];
    this.#walk++;
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      for (let edge = offsets[node]!; edge < offsets[node + 1]!; edge++) {
        const dependency = targets[edge]!;
        if (dependency === target) return true;
        if (this.#isWorthWalking(dependency, target)) stack.push(dependency);
      }
    }
    return false;
  }

  #isWorthWalking(step: number, target: number): boolean {
    if (this.#seen[step] === this.#walk || this.#graph.disabled[step] === 1 || this.#rank[step]! < this.#rank[target]!)
      return false;
    this.#seen[step] = this.#walk;
    return true;
  }
}

/** Everything that has ended when `reader` starts, ascending. */
export function endedBefore(graph: Graph, reader: number): readonly number[] {
  const before = new Set<number>();
  const stack = [reader];
  const visit = (step: number): void => {
    if (step === reader || before.has(step)) return;
    before.add(step);
    if (graph.disabled[step] === 0) stack.push(step);
  };
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { dependencies, dependants } = graph;
    for (let edge = dependencies.offsets[node]!; edge < dependencies.offsets[node + 1]!; edge++)
      visit(dependencies.targets[edge]!);
    if (node === reader) continue;
    for (let edge = dependants.offsets[node]!; edge < dependants.offsets[node + 1]!; edge++) {
      if (dependants.kinds[edge] === EDGE_FALLBACK) visit(dependants.targets[edge]!);
    }
  }
  return [...before].toSorted((a, b) => a - b);
}

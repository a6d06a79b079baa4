// Precedence: whether one step has ended when another one starts.
//
//   Q1. A path through a disabled step proves nothing, because a disabled step holds nobody up; its end may be one.
//   Q2. A fallback has ended when the place of its primary is settled, so it is before whatever its primary is before.
//   Q3. What stands before a step that only has to be settled proves nothing either: such a step may have been skipped
//       while its own dependencies still ran.
//   Q4. Nothing declared to run before `step` is walked when asking for `step`, so a read of a near step costs little.

import { EDGE_FALLBACK, EDGE_SETTLED, type Graph } from "./graph.ts";
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
    if (step === reader) return false;
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
    const { offsets, targets, kinds } = this.#graph.dependencies;
    const stack = [reader];
    this.#walk++;
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      for (let edge = offsets[node]!; edge < offsets[node + 1]!; edge++) {
        const dependency = targets[edge]!;
        if (dependency === target) return true;
        if (kinds[edge] !== EDGE_SETTLED && this.#isWorthWalking(dependency, target)) stack.push(dependency);
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
  const ended = new Set<number>();
  const walked = new Set([reader]);
  for (const node of walked) {
    const { offsets, targets, kinds } = graph.dependencies;
    for (let edge = offsets[node]!; edge < offsets[node + 1]!; edge++) {
      const dependency = targets[edge]!;
      addPlace(graph, dependency, reader, ended);
      if (kinds[edge] !== EDGE_SETTLED && graph.disabled[dependency] === 0) walked.add(dependency);
    }
  }
  return [...ended].toSorted((a, b) => a - b);
}

/** A step and its fallbacks: the place has settled when the last of them has. */
function addPlace(graph: Graph, step: number, reader: number, ended: Set<number>): void {
  if (step === reader || ended.has(step)) return;
  ended.add(step);
  const { offsets, targets, kinds } = graph.dependants;
  for (let edge = offsets[step]!; edge < offsets[step + 1]!; edge++) {
    if (kinds[edge] === EDGE_FALLBACK) addPlace(graph, targets[edge]!, reader, ended);
  }
}

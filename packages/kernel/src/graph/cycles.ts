// Cycles
//
// Job: finds one cycle for each strongly connected component, as a path that starts and ends with the step declared first, in
// running order: `a -> b -> a` means that b waits for a and a waits for b (GRAPH-1).
// Not its job: deciding what to do about them.
//
//   C1. Iterative: a chain of 100,000 steps does not use the call stack (GRAPH-8).
//   C2. Disabled steps are included: a cycle through one is still a cycle (GRAPH-5).
//   C3. A graph without a cycle costs nothing: the topological order contains every step.

import { neighbours, type Graph } from "./graph.ts";

/** Cycles in declaration order of their first step. */
export function findCycles(graph: Graph, selfLoops: readonly number[]): readonly (readonly number[])[] {
  const paths: (readonly number[])[] = selfLoops.map((step) => [step, step]);
  const unordered = unreachableByOrder(graph);
  if (unordered !== undefined) {
    for (const component of components(graph, unordered)) {
      if (component.length > 1) paths.push(shortestCycle(graph, component));
    }
  }
  return paths.toSorted((a, b) => a[0]! - b[0]!);
}

/** Marks the steps that are not in the topological order: those on a cycle or behind one. */
function unreachableByOrder(graph: Graph): Uint8Array | undefined {
  if (graph.topological.length === graph.size) return undefined;
  const marked = new Uint8Array(graph.size).fill(1);
  for (const node of graph.topological) marked[node] = 0;
  return marked;
}

/** Tarjan's strongly connected components with an explicit stack, over the marked nodes only. */
function components(graph: Graph, marked: Uint8Array): number[][] {
  const search = new ComponentSearch(graph, marked);
  for (let node = 0; node < graph.size; node++) {
    if (marked[node] === 1 && search.isNew(node)) search.explore(node);
  }
  return search.components;
}

class ComponentSearch {
  readonly components: number[][] = [];
  readonly #graph: Graph;
  readonly #marked: Uint8Array;
  readonly #visit: Int32Array;
  readonly #low: Int32Array;
  readonly #cursor: Int32Array;
  readonly #open: number[] = [];
  readonly #isOpen: Uint8Array;
  #visits = 0;

  constructor(graph: Graph, marked: Uint8Array) {
    this.#graph = graph;
    this.#marked = marked;
    this.#visit = new Int32Array(graph.size);
    this.#low = new Int32Array(graph.size);
    this.#cursor = graph.dependants.offsets.slice();
    this.#isOpen = new Uint8Array(graph.size);
  }

  isNew(node: number): boolean {
    return this.#visit[node] === 0;
  }

  explore(start: number): void {
    const path = [start];
    this.#enter(start);
    while (path.length > 0) {
      const node = path.at(-1)!;
      const next = this.#nextNeighbour(node);
      if (next === undefined) {
        path.pop();
        this.#leave(node, path.at(-1));
      } else if (this.isNew(next)) {
        this.#enter(next);
        path.push(next);
      } else if (this.#isOpen[next] === 1) {
        this.#low[node] = Math.min(this.#low[node]!, this.#visit[next]!);
      }
    }
  }

  #enter(node: number): void {
    this.#visit[node] = this.#low[node] = ++this.#visits;
    this.#open.push(node);
    this.#isOpen[node] = 1;
  }

  #nextNeighbour(node: number): number | undefined {
    const { offsets, targets } = this.#graph.dependants;
    while (this.#cursor[node]! < offsets[node + 1]!) {
      const next = targets[this.#cursor[node]!++]!;
      if (this.#marked[next] === 1) return next;
    }
    return undefined;
  }

  #leave(node: number, parent: number | undefined): void {
    if (parent !== undefined) this.#low[parent] = Math.min(this.#low[parent]!, this.#low[node]!);
    if (this.#low[node] !== this.#visit[node]) return;
    const component: number[] = [];
    let member: number;
    do {
      member = this.#open.pop()!;
      this.#isOpen[member] = 0;
      component.push(member);
    } while (member !== node);
    this.components.push(component);
  }
}

/** Breadth first from the step declared first, back to itself, inside its component. */
function shortestCycle(graph: Graph, component: readonly number[]): readonly number[] {
  const start = component.reduce((a, b) => Math.min(a, b));
  const members = new Set(component);
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const next of neighbours(graph.dependants, node)) {
      if (next === start) return pathTo(node, start, cameFrom);
      if (!members.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return [start];
}

function pathTo(end: number, start: number, cameFrom: ReadonlyMap<number, number>): readonly number[] {
  const path = [start];
  for (let node: number | undefined = end; node !== undefined && node !== start; node = cameFrom.get(node))
    path.push(node);
  path.push(start);
  return path.toReversed();
}

// Graph builder
//
// Job: collect steps and dependencies in declaration order, then build the graph or say everything that is wrong.
// Not its job: the shape of a document; problems name steps by index, and who knows the document says where that is.
//
//   B1. Problems come by declaration: duplicate ids and unknown dependencies first, cycles last (GRAPH-6).
//   B2. A self-loop is noted when it is added and reported with the rest (GRAPH-1).
//   B3. Nothing here recurses, and building costs O(V + E) (GRAPH-8).

import { findCycles } from "./cycles.ts";
import { EDGE_FALLBACK, EDGE_SETTLED, EDGE_SUCCEEDED, type Adjacency, type EdgeKind, type Graph } from "./graph.ts";

export type GraphProblem =
  | { readonly kind: "duplicate-id"; readonly step: number; readonly first: number }
  | { readonly kind: "unknown-dependency"; readonly step: number; readonly position: number; readonly id: string }
  | { readonly kind: "cycle"; readonly path: readonly number[] };

/** With problems the graph holds what could be resolved: good enough to look for further problems, not to run. */
export interface GraphResult {
  readonly graph: Graph;
  readonly problems: readonly GraphProblem[];
}

const KIND_CODES: Readonly<Record<EdgeKind, number>> = {
  succeeded: EDGE_SUCCEEDED,
  settled: EDGE_SETTLED,
  fallback: EDGE_FALLBACK,
};

export class GraphBuilder {
  readonly #ids: string[] = [];
  readonly #disabled: number[] = [];
  readonly #indexById = new Map<string, number>();
  readonly #duplicates: { step: number; first: number }[] = [];
  readonly #selfLoops: number[] = [];
  // One row an edge, grouped by dependant because a step is added with all its dependencies.
  readonly #from: string[] = [];
  readonly #to: number[] = [];
  readonly #kinds: number[] = [];
  readonly #positions: number[] = [];
  readonly #preceding: { from: number; to: string; kind: EdgeKind }[] = [];

  /** Declares a step and returns its index. */
  add(id: string, enabled = true): number {
    const index = this.#ids.length;
    const first = this.#indexById.get(id);
    if (first === undefined) this.#indexById.set(id, index);
    else this.#duplicates.push({ step: index, first });
    this.#ids.push(id);
    this.#disabled.push(enabled ? 0 : 1);
    return index;
  }

  /** Says that the step last added waits for `dependency`, which may be declared later. */
  dependOn(dependency: string, kind: EdgeKind = "succeeded", position = 0): void {
    const step = this.#ids.length - 1;
    if (this.#ids[step] === dependency) this.#noteSelfLoop(step);
    else this.#pushEdge(dependency, step, kind, position);
  }

  /** Says that `dependant`, wherever it is declared, waits for the step last added. */
  precede(dependant: string, kind: EdgeKind): void {
    const step = this.#ids.length - 1;
    if (this.#ids[step] === dependant) this.#noteSelfLoop(step);
    else this.#preceding.push({ from: step, to: dependant, kind });
  }

  build(): GraphResult {
    const problems: GraphProblem[] = [];
    const edges = this.#resolve(problems);
    const graph = this.#assemble(edges);
    for (const path of findCycles(graph, this.#selfLoops)) problems.push({ kind: "cycle", path });
    return { graph, problems };
  }

  #noteSelfLoop(step: number): void {
    if (this.#selfLoops.at(-1) !== step) this.#selfLoops.push(step);
  }

  #pushEdge(from: string, to: number, kind: EdgeKind, position: number): void {
    this.#from.push(from);
    this.#to.push(to);
    this.#kinds.push(KIND_CODES[kind]);
    this.#positions.push(position);
  }

  /** Turns names into indexes; what cannot be turned becomes a problem, in declaration order. */
  #resolve(problems: GraphProblem[]): EdgeList {
    const count = this.#from.length;
    const edges: EdgeList = {
      length: 0,
      from: new Int32Array(count + this.#preceding.length),
      to: new Int32Array(count + this.#preceding.length),
      kinds: new Uint8Array(count + this.#preceding.length),
    };
    let duplicate = 0;
    for (let edge = 0; edge < count; edge++) {
      const to = this.#to[edge]!;
      duplicate = this.#reportDuplicates(problems, duplicate, to);
      const from = this.#indexById.get(this.#from[edge]!);
      if (from !== undefined) appendEdge(edges, from, to, this.#kinds[edge]!);
      else if (this.#disabled[to] === 0) {
        problems.push({
          kind: "unknown-dependency",
          step: to,
          position: this.#positions[edge]!,
          id: this.#from[edge]!,
        });
      }
    }
    this.#reportDuplicates(problems, duplicate, this.#ids.length);
    for (const { from, to, kind } of this.#preceding) {
      const target = this.#indexById.get(to);
      if (target !== undefined) appendEdge(edges, from, target, KIND_CODES[kind]);
    }
    return edges;
  }

  #reportDuplicates(problems: GraphProblem[], next: number, upTo: number): number {
    let reported = next;
    while (reported < this.#duplicates.length && this.#duplicates[reported]!.step <= upTo) {
      problems.push({ kind: "duplicate-id", ...this.#duplicates[reported]! });
      reported++;
    }
    return reported;
  }

  #assemble(edges: EdgeList): Graph {
    const size = this.#ids.length;
    const forward = distinct(group(size, edges.length, edges.from, edges.to, edges.kinds), size);
    const dependencies = reverse(forward, size);
    // Edges that a primary declared came last and stand out of order; reversing twice sorts them in.
    const dependants = this.#preceding.length === 0 ? forward : reverse(dependencies, size);
    return {
      size,
      edgeCount: dependants.targets.length,
      ids: this.#ids,
      indexById: this.#indexById,
      disabled: Uint8Array.from(this.#disabled),
      dependants,
      dependencies,
    };
  }
}

interface EdgeList {
  length: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly kinds: Uint8Array;
}

function appendEdge(edges: EdgeList, from: number, to: number, kind: number): void {
  edges.from[edges.length] = from;
  edges.to[edges.length] = to;
  edges.kinds[edges.length] = kind;
  edges.length++;
}

/** A counting sort of edges by `keys`; stable, so what came in by ascending value stays so within a key. */
function group(size: number, count: number, keys: Int32Array, values: Int32Array, kinds: Uint8Array): Adjacency {
  const offsets = new Int32Array(size + 1);
  for (let edge = 0; edge < count; edge++) offsets[keys[edge]! + 1]!++;
  for (let node = 0; node < size; node++) offsets[node + 1]! += offsets[node]!;
  const next = offsets.slice();
  const targets = new Int32Array(count);
  const targetKinds = new Uint8Array(count);
  for (let edge = 0; edge < count; edge++) {
    const place = next[keys[edge]!]!++;
    targets[place] = values[edge]!;
    targetKinds[place] = kinds[edge]!;
  }
  return { offsets, targets, kinds: targetKinds };
}

/** Keeps one edge a pair; the stricter kind stands, so that repeating a dependency never loosens it. */
function distinct(adjacency: Adjacency, size: number): Adjacency {
  const offsets = new Int32Array(size + 1);
  const targets = new Int32Array(adjacency.targets.length);
  const kinds = new Uint8Array(adjacency.targets.length);
  const placeOf = new Int32Array(size).fill(-1);
  let length = 0;
  for (let node = 0; node < size; node++) {
    const start = length;
    for (let edge = adjacency.offsets[node]!; edge < adjacency.offsets[node + 1]!; edge++) {
      const target = adjacency.targets[edge]!;
      const place = placeOf[target]!;
      if (place >= start) {
        if (adjacency.kinds[edge]! < kinds[place]!) kinds[place] = adjacency.kinds[edge]!;
        continue;
      }
      placeOf[target] = length;
      targets[length] = target;
      kinds[length] = adjacency.kinds[edge]!;
      length++;
    }
    offsets[node + 1] = length;
  }
  return { offsets, targets: targets.slice(0, length), kinds: kinds.slice(0, length) };
}

/** The same edges seen from the other end, sorted by that end's own neighbours. */
function reverse(adjacency: Adjacency, size: number): Adjacency {
  return group(size, adjacency.targets.length, adjacency.targets, sourcesOf(adjacency, size), adjacency.kinds);
}

/** For each edge of a grouped list, the node that it belongs to. */
function sourcesOf(adjacency: Adjacency, size: number): Int32Array {
  const sources = new Int32Array(adjacency.targets.length);
  for (let node = 0; node < size; node++) {
    sources.fill(node, adjacency.offsets[node], adjacency.offsets[node + 1]);
  }
  return sources;
}

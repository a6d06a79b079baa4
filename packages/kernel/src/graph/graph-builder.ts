// Graph builder
//
// Job: collects steps and dependencies in declaration order, then builds the graph or reports every problem.
// Not its job: the document. Problems name steps by index, and the caller maps an index to a position in the document.
//
//   B1. Problems are in declaration order: duplicate ids and unknown dependencies first, cycles last (GRAPH-6).
//   B2. A self-loop is recorded when its edge is added and reported with the other problems (GRAPH-1).
//   B3. Nothing here recurses, and building costs O(V + E) (GRAPH-8). Looking up ids is most of the cost, so an edge is resolved
//       when it is added and kept as a number; only ids that are declared later are kept by name.

import { findCycles } from "./cycles.ts";
import { EDGE_FALLBACK, EDGE_SETTLED, EDGE_SUCCEEDED, type Adjacency, type EdgeKind, type Graph } from "./graph.ts";
import { kahnOrder } from "./kahn.ts";

export type GraphProblem =
  | { readonly kind: "duplicate-id"; readonly step: number; readonly first: number }
  | { readonly kind: "unknown-dependency"; readonly step: number; readonly position: number; readonly id: string }
  | { readonly kind: "cycle"; readonly path: readonly number[] };

/** A graph with problems holds the edges that could be resolved: enough to find further problems, not to run. */
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
  readonly #disabled = new Set<number>();
  readonly #indexById = new Map<string, number>();
  /** The first index of each id; exists once an id was declared twice. */
  #firsts: Map<string, number> | undefined;
  readonly #duplicates: { readonly step: number; readonly first: number }[] = [];
  /** The source of each edge. The edges of a step are contiguous and start at its first edge. */
  #from = new Int32Array(64);
  #edgeCount = 0;
  readonly #firstEdge: number[] = [];
  /** Ids that were not declared when an edge named them, by edge. */
  readonly #later = new Map<number, string>();
  /** The kinds of edges that are not `succeeded`, by edge; nearly all edges are `succeeded`. */
  readonly #kinds = new Map<number, number>();
  readonly #preceding: { readonly from: number; readonly to: string; readonly kind: EdgeKind }[] = [];

  /** Declares a step and returns its index. */
  add(id: string, enabled = true): number {
    const index = this.#ids.length;
    this.#indexById.set(id, index);
    // Comparing the size after `set` saves a lookup for every new id.
    if (this.#indexById.size !== index + 1 - this.#duplicates.length) this.#noteDuplicate(id, index);
    else this.#firsts?.set(id, index);
    this.#ids.push(id);
    if (!enabled) this.#disabled.add(index);
    this.#firstEdge.push(this.#edgeCount);
    return index;
  }

  #noteDuplicate(id: string, step: number): void {
    this.#firsts ??= firstIndexes(this.#ids);
    const first = this.#firsts.get(id)!;
    this.#indexById.set(id, first);
    this.#duplicates.push({ step, first });
  }

  /** Adds a dependency of the last added step; `dependency` may be declared later. */
  dependOn(dependency: string, kind: EdgeKind = "succeeded"): void {
    const edge = this.#edgeCount++;
    if (edge === this.#from.length) this.#grow();
    const from = this.#indexById.get(dependency);
    if (from === undefined) this.#later.set(edge, dependency);
    else this.#from[edge] = from;
    if (kind !== "succeeded") this.#kinds.set(edge, KIND_CODES[kind]);
  }

  #grow(): void {
    const larger = new Int32Array(this.#from.length * 2);
    larger.set(this.#from);
    this.#from = larger;
  }

  /** Makes `dependant`, declared anywhere, wait for the last added step. */
  precede(dependant: string, kind: EdgeKind): void {
    this.#preceding.push({ from: this.#ids.length - 1, to: dependant, kind });
  }

  build(): GraphResult {
    const problems: GraphProblem[] = [];
    const selfLoops = new Set<number>();
    const edges = this.#resolve(problems, selfLoops);
    const graph = this.#assemble(edges);
    for (const path of findCycles(graph, [...selfLoops])) problems.push({ kind: "cycle", path });
    return { graph, problems };
  }

  /** Resolves the remaining ids; ids that are not found become problems, in declaration order. */
  #resolve(problems: GraphProblem[], selfLoops: Set<number>): EdgeList {
    const edges = edgeList(this.#edgeCount + this.#preceding.length);
    // For each step, the last edge from it, which reveals a repeated dependency (GRAPH-3).
    const lastEdge = new Int32Array(this.#ids.length).fill(-1);
    let duplicate = 0;
    for (let step = 0; step < this.#ids.length; step++) {
      if (this.#duplicates[duplicate]?.step === step) {
        problems.push({ kind: "duplicate-id", ...this.#duplicates[duplicate++]! });
      }
      this.#resolveStep(step, edges, lastEdge, problems, selfLoops);
    }
    this.#resolvePreceding(edges, selfLoops);
    return edges;
  }

  #resolveStep(
    step: number,
    edges: EdgeList,
    lastEdge: Int32Array,
    problems: GraphProblem[],
    selfLoops: Set<number>,
  ): void {
    const from = this.#from;
    const hasLater = this.#later.size > 0;
    const hasKinds = this.#kinds.size > 0;
    const firstOwn = edges.length;
    const end = this.#firstEdge[step + 1] ?? this.#edgeCount;
    for (let edge = this.#firstEdge[step]!; edge < end; edge++) {
      const source = hasLater ? this.#edgeSource(edge) : from[edge]!;
      if (source === undefined) {
        this.#noteUnknown(problems, step, edge);
        continue;
      }
      const kind = hasKinds ? (this.#kinds.get(edge) ?? EDGE_SUCCEEDED) : EDGE_SUCCEEDED;
      if (source === step) selfLoops.add(step);
      else if (lastEdge[source]! >= firstOwn) tighten(edges, lastEdge[source]!, kind);
      else {
        lastEdge[source] = edges.length;
        appendEdge(edges, source, step, kind);
      }
    }
  }

  #edgeSource(edge: number): number | undefined {
    const id = this.#later.get(edge);
    return id === undefined ? this.#from[edge] : this.#indexById.get(id);
  }

  /** The dependencies of a disabled step are ignored (GRAPH-5). */
  #noteUnknown(problems: GraphProblem[], step: number, edge: number): void {
    if (this.#disabled.has(step)) return;
    problems.push({
      kind: "unknown-dependency",
      step,
      position: edge - this.#firstEdge[step]!,
      id: this.#later.get(edge)!,
    });
  }

  /** A step that both depends on its primary and is its fallback is refused elsewhere; here it keeps its one edge. */
  #resolvePreceding(edges: EdgeList, selfLoops: Set<number>): void {
    if (this.#preceding.length === 0) return;
    const known = new Set<number>();
    for (let edge = 0; edge < edges.length; edge++) known.add(edges.from[edge]! * this.#ids.length + edges.to[edge]!);
    for (const { from, to, kind } of this.#preceding) {
      const target = this.#indexById.get(to);
      if (target === undefined) continue;
      if (target === from) selfLoops.add(from);
      else if (!known.has(from * this.#ids.length + target)) appendEdge(edges, from, target, KIND_CODES[kind]);
    }
  }

  #assemble(edges: EdgeList): Graph {
    const size = this.#ids.length;
    const forward = group(size, edges.length, edges.from, edges.to, edges.kinds);
    const dependencies = reverse(forward, size);
    // Edges that a primary declared were added last and are out of order; reversing twice sorts them.
    const dependants = this.#preceding.length === 0 ? forward : reverse(dependencies, size);
    const disabled = new Uint8Array(size);
    for (const step of this.#disabled) disabled[step] = 1;
    return {
      size,
      edgeCount: edges.length,
      ids: this.#ids,
      indexById: this.#indexById,
      disabled,
      dependants,
      dependencies,
      topological: kahnOrder(size, dependencies, dependants),
    };
  }
}

function firstIndexes(ids: readonly string[]): Map<string, number> {
  const indexes = new Map<string, number>();
  for (let index = ids.length - 1; index >= 0; index--) indexes.set(ids[index]!, index);
  return indexes;
}

interface EdgeList {
  length: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly kinds: Uint8Array;
}

function edgeList(capacity: number): EdgeList {
  return { length: 0, from: new Int32Array(capacity), to: new Int32Array(capacity), kinds: new Uint8Array(capacity) };
}

function appendEdge(edges: EdgeList, from: number, to: number, kind: number): void {
  const index = edges.length++;
  edges.from[index] = from;
  edges.to[index] = to;
  edges.kinds[index] = kind;
}

/** A stable counting sort of edges by `keys`: ascending values stay ascending within a key. */
function group(size: number, count: number, keys: Int32Array, values: Int32Array, kinds: Uint8Array): Adjacency {
  const offsets = new Int32Array(size + 1);
  for (let edge = 0; edge < count; edge++) offsets[keys[edge]! + 1]!++;
  for (let node = 0; node < size; node++) offsets[node + 1]! += offsets[node]!;
  const next = offsets.slice();
  const targets = new Int32Array(count);
  const targetKinds = new Uint8Array(count);
  for (let edge = 0; edge < count; edge++) {
    const index = next[keys[edge]!]!++;
    targets[index] = values[edge]!;
    targetKinds[index] = kinds[edge]!;
  }
  return { offsets, targets, kinds: targetKinds };
}

/** For a repeated dependency the stricter kind wins, so that repeating it never loosens it. */
function tighten(edges: EdgeList, edge: number, kind: number): void {
  if (kind < edges.kinds[edge]!) edges.kinds[edge] = kind;
}

/** The same edges in the other direction, sorted by the neighbours of that end. */
function reverse(adjacency: Adjacency, size: number): Adjacency {
  return group(size, adjacency.targets.length, adjacency.targets, edgeSources(adjacency, size), adjacency.kinds);
}

/** For each edge of a grouped list, the node that it belongs to. */
function edgeSources(adjacency: Adjacency, size: number): Int32Array {
  const sources = new Int32Array(adjacency.targets.length);
  for (let node = 0; node < size; node++) {
    const end = adjacency.offsets[node + 1]!;
    for (let edge = adjacency.offsets[node]!; edge < end; edge++) sources[edge] = node;
  }
  return sources;
}

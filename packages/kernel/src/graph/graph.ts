// Graph
//
// Job: the dependencies between the steps of one definition, as flat arrays of a few bytes an edge.
// Not its job: which steps are done; that is the state of an execution.
//
//   G1. An edge is stored once, however often the author repeated it (GRAPH-3).
//   G2. Both directions are sorted by declaration index, so every traversal is deterministic (GRAPH-2).
//   G3. A graph is never changed after it was built.

/** The end that a dependant waits for: success, any end (STATE-6), or the failure of its primary (STATE-8). */
export type EdgeKind = "succeeded" | "settled" | "fallback";

export const EDGE_SUCCEEDED = 0;
export const EDGE_SETTLED = 1;
export const EDGE_FALLBACK = 2;

export const EDGE_KINDS: readonly EdgeKind[] = ["succeeded", "settled", "fallback"];

/** Neighbours of node `n` are `targets[offsets[n]] … targets[offsets[n + 1] - 1]`, with `kinds` beside them. */
export interface Adjacency {
  readonly offsets: Int32Array;
  readonly targets: Int32Array;
  readonly kinds: Uint8Array;
}

/** The steps of a workflow by index, and the edges between them. */
export interface Graph {
  readonly size: number;
  readonly edgeCount: number;
  readonly ids: readonly string[];
  readonly indexById: ReadonlyMap<string, number>;
  /** 1 if the step is disabled: such a step satisfies its dependants and is in no wave (GRAPH-5). */
  readonly disabled: Uint8Array;
  readonly dependants: Adjacency;
  readonly dependencies: Adjacency;
  /** Topological order: every step after its dependencies. Shorter than `size` if there is a cycle. */
  readonly topological: Int32Array;
}

export function neighbours(adjacency: Adjacency, node: number): Int32Array {
  return adjacency.targets.subarray(adjacency.offsets[node], adjacency.offsets[node + 1]);
}

export function neighbourCount(adjacency: Adjacency, node: number): number {
  return adjacency.offsets[node + 1]! - adjacency.offsets[node]!;
}

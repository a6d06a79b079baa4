// Precedence: which steps have ended when another one starts.
//
//   Q1. A path through a disabled step proves no order, because a disabled step delays no step; a path may end at one.
//   Q2. A fallback has ended when its primary is settled, so it precedes every step that its primary precedes.
//   Q3. The dependencies of a step that only has to be settled prove no order either: such a step may have been skipped while its
//       own dependencies still ran.
//   Q4. All queries about a graph are answered together: one pass over its edges for every 32 queried steps, one bit each.
//       Answering pair by pair would traverse the graph for each pair.
//   Q5. Steps on a cycle or behind one have no order; a query about such a reader finds no missing step.
//   Q6. A step comes after the reader if it starts only after the reader has ended, by the same rules in the other direction:
//       nothing beyond a disabled step, and nothing beyond a step that only has to be settled.

import { EDGE_FALLBACK, EDGE_SETTLED, type Graph } from "./graph.ts";
import { fallbackChains, type FallbackChains } from "./fallback-chains.ts";

/**
 * Which of `steps` have not ended when `reader` starts? Queries about the same list share it by identity. `unordered` leaves
 * out the steps that come after the reader; `unordered-earlier` also leaves out those behind the reader in the topological
 * order, so that of two steps without an order only one is reported.
 */
export interface PrecedenceQuery {
  readonly reader: number;
  readonly steps: readonly number[];
  readonly only?: "unordered" | "unordered-earlier";
}

/** For each query some of the missing steps, ascending: all of them, or more than `most` if there are more. */
export function missingBefore(
  graph: Graph,
  queries: readonly PrecedenceQuery[],
  most: number,
): readonly (readonly number[])[] {
  const results: number[][] = queries.map(() => []);
  const chains = fallbackChains(graph);
  const position = positions(graph);
  for (const { words, chainBits } of splitIntoChunks(queries, chains)) {
    const ended = endedBits(graph, chainBits);
    const isLaterAsked = words.some(({ queryIndexes }) =>
      queryIndexes.some((query) => queries[query]!.only !== undefined),
    );
    const later = isLaterAsked ? laterBits(graph, chainBits) : undefined;
    for (const { steps, mask, queryIndexes: asked } of words) {
      for (const query of asked) {
        const { reader, only } = queries[query]!;
        const result = results[query]!;
        if (position[reader]! < 0 || result.length > most) continue;
        const chain = chains.root[reader]!;
        const own = chainBits.get(chain) ?? 0;
        const known = only === undefined ? ended[reader]! : ended[reader]! | later![chain]! | own;
        if ((only !== undefined || (mask & own) === 0) && (mask & ~known) === 0) continue;
        const isMissing = (step: number): boolean =>
          step !== reader &&
          ((chainBits.get(chains.root[step]!)! & known) === 0 ||
            (only === undefined && isLaterFallback(chains, reader, step))) &&
          (only !== "unordered-earlier" || position[step]! < position[reader]!);
        collect(steps, isMissing, most, result);
      }
    }
  }
  return results.map((result) => result.toSorted((a, b) => a - b));
}

function collect(steps: readonly number[], isMissing: (step: number) => boolean, most: number, result: number[]): void {
  for (const step of steps) {
    if (result.length > most) return;
    if (isMissing(step)) result.push(step);
  }
}

/** Whether `step` is a later fallback in the chain of `reader`. */
function isLaterFallback({ root, depth }: FallbackChains, reader: number, step: number): boolean {
  return root[reader] === root[step] && depth[step]! > depth[reader]!;
}

/** Up to 32 queried chains, each with its bit, and the parts of lists that belong to them. */
interface QueryChunk {
  readonly chainBits: Map<number, number>;
  readonly words: ListPart[];
}

interface ListPart {
  readonly steps: number[];
  mask: number;
  /** The queries about the list. */
  readonly queryIndexes: readonly number[];
}

const CHAINS_IN_CHUNK = 32;

function splitIntoChunks(queries: readonly PrecedenceQuery[], { root }: FallbackChains): readonly QueryChunk[] {
  const chunks: QueryChunk[] = [];
  const chunkIndex = new Map<number, QueryChunk>();
  for (const [steps, asked] of queriesByList(queries)) {
    const parts = new Map<QueryChunk, ListPart>();
    for (const step of steps) {
      const chunk = chunkIndex.get(root[step]!) ?? chunkFor(chunks, root[step]!);
      chunkIndex.set(root[step]!, chunk);
      const part = parts.get(chunk) ?? { steps: [], mask: 0, queryIndexes: asked };
      part.steps.push(step);
      part.mask |= chunk.chainBits.get(root[step]!)!;
      parts.set(chunk, part);
    }
    for (const [chunk, part] of parts) chunk.words.push(part);
  }
  return chunks;
}

function queriesByList(queries: readonly PrecedenceQuery[]): ReadonlyMap<readonly number[], readonly number[]> {
  const byList = new Map<readonly number[], number[]>();
  queries.forEach(({ steps }, query) => {
    const indexes = byList.get(steps);
    if (indexes === undefined) byList.set(steps, [query]);
    else indexes.push(query);
  });
  return byList;
}

/** The last chunk, or a new one if the last is full. */
function chunkFor(chunks: QueryChunk[], chain: number): QueryChunk {
  const last = chunks.at(-1);
  const chunk: QueryChunk =
    last === undefined || last.chainBits.size === CHAINS_IN_CHUNK ? { chainBits: new Map(), words: [] } : last;
  if (chunk !== last) chunks.push(chunk);
  chunk.chainBits.set(chain, 1 << chunk.chainBits.size);
  return chunk;
}

/** For each step the bits of the chains that are settled when it starts. */
function endedBits(graph: Graph, chainBits: ReadonlyMap<number, number>): Int32Array {
  const own = new Int32Array(graph.size);
  for (const [chain, bit] of chainBits) own[chain] = bit;
  const ended = new Int32Array(graph.size);
  const { offsets, targets, kinds } = graph.dependencies;
  for (const step of graph.topological) {
    let bits = 0;
    const end = offsets[step + 1]!;
    for (let edge = offsets[step]!; edge < end; edge++) {
      const dependency = targets[edge]!;
      bits |= own[dependency]!;
      if (kinds[edge] !== EDGE_SETTLED && graph.disabled[dependency] === 0) bits |= ended[dependency]!;
    }
    ended[step] = bits;
  }
  return ended;
}

/** For each step the bits of the chains that start only after it has ended (Q6). */
function laterBits(graph: Graph, chainBits: ReadonlyMap<number, number>): Int32Array {
  const own = new Int32Array(graph.size);
  for (const [chain, bit] of chainBits) own[chain] = bit;
  const later = new Int32Array(graph.size);
  /** The same for the dependencies of the step. */
  const passed = new Int32Array(graph.size);
  const { offsets, targets, kinds } = graph.dependants;
  for (const step of graph.topological.toReversed()) {
    const end = offsets[step + 1]!;
    for (let edge = offsets[step]!; edge < end; edge++) {
      const dependant = targets[edge]!;
      const bits = own[dependant]! | passed[dependant]!;
      later[step]! |= bits;
      if (kinds[edge] !== EDGE_SETTLED && graph.disabled[step] === 0) passed[step]! |= bits;
    }
  }
  return later;
}

/** The position of each step in the topological order; -1 on a cycle or behind one. */
function positions(graph: Graph): Int32Array {
  const position = new Int32Array(graph.size).fill(-1);
  graph.topological.forEach((step, index) => (position[step] = index));
  return position;
}

/** All steps that have ended when `reader` starts, ascending. */
export function endedBefore(graph: Graph, reader: number): readonly number[] {
  const ended = new Set<number>();
  const walked = new Set([reader]);
  for (const node of walked) {
    const { offsets, targets, kinds } = graph.dependencies;
    for (let edge = offsets[node]!; edge < offsets[node + 1]!; edge++) {
      const dependency = targets[edge]!;
      addWithFallbacks(graph, dependency, reader, ended);
      if (kinds[edge] !== EDGE_SETTLED && graph.disabled[dependency] === 0) walked.add(dependency);
    }
  }
  return [...ended].toSorted((a, b) => a - b);
}

/** A step and its fallbacks: the chain is settled when the last of them has ended. */
function addWithFallbacks(graph: Graph, step: number, reader: number, ended: Set<number>): void {
  const { offsets, targets, kinds } = graph.dependants;
  const open = [step];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === reader || ended.has(next)) continue;
    ended.add(next);
    for (let edge = offsets[next]!; edge < offsets[next + 1]!; edge++)
      if (kinds[edge] === EDGE_FALLBACK) open.push(targets[edge]!);
  }
}

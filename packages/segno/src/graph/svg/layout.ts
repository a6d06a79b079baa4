// Where everything goes. Two ways to find out: dagre's, which is beautiful and slow, and by waves, which is plain and
// takes no time.

import type { GraphPicture } from "../graph-picture.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Layout extends Size {
  /** The middle of each node. */
  readonly centres: readonly Point[];
  /** For each edge the points that its line passes, from border to border. */
  readonly routes: readonly (readonly Point[])[];
}

export const NODE_GAP = 22;
export const WAVE_GAP = 64;

/** dagre puts a node on every wave that an edge passes, and its time grows faster than their number. */
const DAGRE_NODES_MAX = 800;

export async function layoutOf(picture: GraphPicture, sizes: readonly Size[]): Promise<Layout> {
  if (nodesForDagre(picture) > DAGRE_NODES_MAX) return (await import("./wave-layout.ts")).waveLayout(picture, sizes);
  return (await import("./dagre-layout.ts")).dagreLayout(picture, sizes);
}

function nodesForDagre({ nodes, edges }: GraphPicture): number {
  let count = nodes.length;
  for (const { from, to } of edges) count += Math.max(1, nodes[to]!.wave - nodes[from]!.wave) - 1;
  return Math.max(count, edges.length);
}

// Where everything goes. Two ways to find out: dagre's, which is beautiful and slow, and by waves, which is plain and
// takes no time.

import type { GraphPicture, PictureEdge } from "../graph-picture.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface NodeSize {
  readonly width: number;
  readonly height: number;
}

export interface GraphLayout extends NodeSize {
  /** The middle of each node. */
  readonly centres: readonly Point[];
  /** For each edge the points that its line passes, from border to border. */
  readonly routes: readonly (readonly Point[])[];
}

export const NODE_GAP = 22;
export const WAVE_GAP = 76;

/** dagre puts a node on every wave that an edge passes, and counts crossings of edges: so many take two seconds. */
const DAGRE_NODES_MAX = 10_000;
const DAGRE_EDGES_MAX = 2000;

export async function computeLayout(picture: GraphPicture, sizes: readonly NodeSize[]): Promise<GraphLayout> {
  if (picture.edges.length > DAGRE_EDGES_MAX || nodesForDagre(picture) > DAGRE_NODES_MAX) {
    return (await import("./wave-layout.ts")).waveLayout(picture, sizes);
  }
  return (await import("./dagre-layout.ts")).dagreLayout(picture, sizes);
}

function nodesForDagre({ nodes, edges }: GraphPicture): number {
  let count = nodes.length;
  for (const { from, to } of edges) count += Math.max(1, nodes[to]!.wave - nodes[from]!.wave) - 1;
  return count;
}

/** A line leaves in the middle of the right side and arrives in the middle of the left one. */
export function sideToSide(
  { from, to }: PictureEdge,
  centres: readonly Point[],
  sizes: readonly NodeSize[],
  bends: readonly Point[] = [],
): readonly Point[] {
  const start = { x: centres[from]!.x + sizes[from]!.width / 2, y: centres[from]!.y };
  const end = { x: centres[to]!.x - sizes[to]!.width / 2, y: centres[to]!.y };
  return [start, ...bends, end];
}

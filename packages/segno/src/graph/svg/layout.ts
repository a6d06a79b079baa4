// Chooses the layout. dagre draws well but is slow; the layout by waves is plain and fast.

import type { GraphPicture } from "../graph-picture.ts";
import type { GraphLayout, NodeSize } from "./graph-layout.ts";

/** dagre adds a node for every wave that an edge crosses, and counts crossings of edges. At these limits it takes two seconds. */
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

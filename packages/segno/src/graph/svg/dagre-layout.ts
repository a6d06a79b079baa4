import { Graph, layout, type EdgeLabel, type GraphLabel, type NodeLabel } from "@dagrejs/dagre";

import type { GraphPicture } from "../graph-picture.ts";
import { NODE_GAP, WAVE_GAP, type Layout, type Size } from "./layout.ts";

export function dagreLayout({ nodes, edges }: GraphPicture, sizes: readonly Size[]): Layout {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>();
  graph.setGraph({ rankdir: "LR", ranker: "tight-tree", nodesep: NODE_GAP, ranksep: WAVE_GAP, edgesep: 12 });
  for (const index of nodes.keys()) graph.setNode(String(index), { ...sizes[index]! });
  for (const { from, to } of edges) graph.setEdge(String(from), String(to), {});
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Number.isFinite(width) ? width : 0,
    height: Number.isFinite(height) ? height : 0,
    centres: [...nodes.keys()].map((index) => {
      const { x = 0, y = 0 } = graph.node(String(index));
      return { x, y };
    }),
    routes: edges.map(({ from, to }) => graph.edge(String(from), String(to)).points ?? []),
  };
}

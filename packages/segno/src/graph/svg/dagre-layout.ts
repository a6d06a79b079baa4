import { Graph, layout, type EdgeLabel, type GraphLabel, type NodeLabel } from "@dagrejs/dagre";

import type { GraphPicture } from "../graph-picture.ts";
import { NODE_GAP, sideToSide, WAVE_GAP, type GraphLayout, type Point, type NodeSize } from "./graph-layout.ts";

export function dagreLayout({ nodes, edges }: GraphPicture, sizes: readonly NodeSize[]): GraphLayout {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>();
  graph.setGraph({ rankdir: "LR", ranker: "tight-tree", nodesep: NODE_GAP, ranksep: WAVE_GAP, edgesep: 12 });
  for (const index of nodes.keys()) graph.setNode(String(index), { ...sizes[index]! });
  for (const { from, to } of edges) graph.setEdge(String(from), String(to), {});
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const centres = [...nodes.keys()].map((index): Point => {
    const { x = 0, y = 0 } = graph.node(String(index));
    return { x, y };
  });
  return {
    // Without nodes, dagre returns minus infinity.
    width: Math.max(0, width),
    height: Math.max(0, height),
    centres,
    routes: edges.map((edge) => {
      const bends = graph.edge(String(edge.from), String(edge.to)).points ?? [];
      return sideToSide(edge, centres, sizes, widenBends(bends.slice(1, -1)));
    }),
  };
}

/** The point where a curve may turn. dagre bends in the middle of the gap between columns; the whole gap gives a softer curve. */
const TURN = WAVE_GAP / 2 - 6;

function widenBends(bends: readonly Point[]): readonly Point[] {
  if (bends.length < 2) return [];
  const first = bends[0]!;
  const last = bends.at(-1)!;
  return [{ x: first.x + TURN, y: first.y }, ...bends.slice(1, -1), { x: last.x - TURN, y: last.y }];
}

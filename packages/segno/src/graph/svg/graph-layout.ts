// The result of a layout: positions of nodes and routes of edges.

import type { PictureEdge } from "../graph-picture.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface NodeSize {
  readonly width: number;
  readonly height: number;
}

export interface GraphLayout extends NodeSize {
  /** The centre of each node. */
  readonly centres: readonly Point[];
  /** The points of each edge, from border to border. */
  readonly routes: readonly (readonly Point[])[];
}

export const NODE_GAP = 22;
export const WAVE_GAP = 76;

/** A line leaves at the middle of the right side and arrives at the middle of the left side. */
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

// A column for each wave, with its steps in the order of declaration. Disabled steps are at the end of the first column.

import type { GraphPicture } from "../graph-picture.ts";
import { NODE_GAP, sideToSide, WAVE_GAP, type GraphLayout, type Point, type NodeSize } from "./graph-layout.ts";

export function waveLayout({ nodes, edges, waveCount }: GraphPicture, sizes: readonly NodeSize[]): GraphLayout {
  const columns: number[][] = Array.from({ length: Math.max(1, waveCount) }, () => []);
  for (const [index, { wave }] of nodes.entries()) if (wave >= 0) columns[wave]!.push(index);
  for (const [index, { wave }] of nodes.entries()) if (wave < 0) columns[0]!.push(index);
  const height = columns.reduce((most, column) => Math.max(most, columnHeight(column, sizes)), 0);
  const centres: Point[] = [];
  let left = 0;
  for (const column of columns) {
    const width = column.reduce((most, index) => Math.max(most, sizes[index]!.width), 0);
    placeColumn(column, left + width / 2, (height - columnHeight(column, sizes)) / 2);
    left += width + WAVE_GAP;
  }
  return { width: left - WAVE_GAP, height, centres, routes: edges.map((edge) => sideToSide(edge, centres, sizes)) };

  function placeColumn(column: readonly number[], x: number, top: number): void {
    let y = top;
    for (const index of column) {
      centres[index] = { x, y: y + sizes[index]!.height / 2 };
      y += sizes[index]!.height + NODE_GAP;
    }
  }
}

function columnHeight(column: readonly number[], sizes: readonly NodeSize[]): number {
  return column.reduce((sum, index) => sum + sizes[index]!.height + NODE_GAP, 0) - (column.length > 0 ? NODE_GAP : 0);
}

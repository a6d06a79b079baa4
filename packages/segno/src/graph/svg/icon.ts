// An icon for each kind of step, drawn with lines in a square of 16 by 16, so that no font is needed.

import type { PictureNode } from "../graph-picture.ts";

const LINES: Readonly<Record<PictureNode["kind"], string>> = {
  // A prompt.
  run: "M2.5 4.5 6 8l-3.5 3.5M8 12h5.5",
  // A play triangle.
  exec: "M4.5 3v10l8-5z",
  // A spark.
  agent: "M8 1.8c.5 3.6 2.2 5.4 6.2 6.2-4 .8-5.7 2.6-6.2 6.2-.5-3.6-2.2-5.4-6.2-6.2 4-.8 5.7-2.6 6.2-6.2z",
  // A globe.
  http: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12",
  // A graph inside a graph.
  workflow: "M2.5 2.5h4v4h-4zM9.5 9.5h4v4h-4zM6.5 4.5h3a2 2 0 0 1 2 2v3",
  // Stacked copies.
  map: "M2.5 5.5h8v8h-8zM5.5 5.5v-3h8v8h-3",
  // An arrow that goes round.
  repeat: "M13 8a5 5 0 1 1-1.6-3.7M13.2 1.8v3.2H10",
  // A clock.
  wait: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.3 1.6",
  // A tick in a circle.
  approve: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.3 8.2l2 2 3.5-4",
  // Two lines that join at a barrier, and one that continues.
  barrier: "M2 4.5h6M2 11.5h6M8 2v12M8 8h6",
};

/** Draws the icon centred on the given point. */
export function icon(kind: PictureNode["kind"], x: number, y: number): string {
  return `<path class="icon" transform="translate(${x - 8} ${y - 8})" d="${LINES[kind]}"/>`;
}

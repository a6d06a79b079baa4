// One line of several colours that is never wider than the window: it is cut before it is painted.

import { displayWidth, shorten } from "./text-layout.ts";

export interface Segment {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** Cuts the line to `width` columns and marks the cut. */
export function paintedLine(segments: readonly Segment[], width: number): string {
  let line = "";
  let left = width;
  for (const { text, paint = plain } of segments) {
    const wide = displayWidth(text);
    if (wide > left) return left > 0 ? line + paint(shorten(text, left)) : line;
    if (text !== "") line += paint(text);
    left -= wide;
  }
  return line;
}

function plain(text: string): string {
  return text;
}

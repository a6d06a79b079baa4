// The screen: lines that scroll by, and below them a region that is drawn again and again in its place.
//
//   S1. What scrolled by is never touched again: it can be read, selected and scrolled back to. No alternate screen.
//   S2. The cursor is hidden only while a region stands there, and shown again whatever ends the command.
//   S3. One write a frame, so that nothing is seen half drawn.
//   S4. The window may have become narrower between two frames: then a line of the region is several rows, and all of them
//       are cleared. A terminal that does not fold its lines again loses that many rows of what scrolled by.

import { displayWidth } from "../terminal/text-layout.ts";

export interface ScreenWindow {
  write(text: string): void;
  readonly columns: number;
}

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const CLEAR_BELOW = "\u001b[J";
// oxlint-disable-next-line no-control-regex
const COLOR = /\u001b\[[0-9;:]*m/gu;

export class Screen {
  readonly #window: ScreenWindow;
  #region: readonly string[] = [];

  constructor(window: ScreenWindow) {
    this.#window = window;
  }

  /** Whether a region stands there, and so the cursor is hidden. */
  get isDrawn(): boolean {
    return this.#region.length > 0;
  }

  /** Lines scroll by, and the region is drawn below them. */
  draw(lines: readonly string[], region: readonly string[]): void {
    if (lines.length === 0 && sameLines(region, this.#region)) return;
    const before = this.isDrawn ? this.#clearSequence() : region.length > 0 ? HIDE_CURSOR : "";
    const after = this.isDrawn && region.length === 0 ? SHOW_CURSOR : "";
    this.#region = region;
    const text = [...lines, ...region].map((line) => `${line}\n`).join("");
    if (before + text + after !== "") this.#window.write(before + text + after);
  }

  /** Takes the region away; what comes next is written where it stood. */
  clear(): void {
    this.draw([], []);
  }

  /** The window has changed, or somebody else has written to it: the same region is drawn anew. */
  redraw(): void {
    const region = this.#region;
    this.clear();
    this.draw([], region);
  }

  #clearSequence(): string {
    const height = this.#region.reduce((sum, line) => sum + lineHeight(line, this.#window.columns), 0);
    return `\r\u001b[${height}A${CLEAR_BELOW}`;
  }
}

/** Rows that a line takes in a window of this width. */
function lineHeight(line: string, columns: number): number {
  return Math.max(1, Math.ceil(displayWidth(line.replaceAll(COLOR, "")) / columns));
}

function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, place) => line === other[place]);
}

// The screen: lines that scroll by, and a region below them that is redrawn in place.
//   S1. Lines that have scrolled by are never changed: they can be read, selected and scrolled back to. No alternate screen.
//   S2. The cursor is hidden only while a region is drawn, and is shown again however the command ends.
//   S3. Each frame is one write, so that no frame is visible half drawn.
//   S4. If the window became narrower between two frames, a line of the region fills several rows, and all of them are cleared.
//       A terminal that does not rewrap its lines loses that many rows of scrolled lines.

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

  /** Whether a region is drawn and the cursor hidden. */
  get isDrawn(): boolean {
    return this.#region.length > 0;
  }

  /** Prints lines that scroll by, and draws the region below them. */
  draw(lines: readonly string[], region: readonly string[]): void {
    if (lines.length === 0 && sameLines(region, this.#region)) return;
    const before = this.isDrawn ? this.#clearSequence() : region.length > 0 ? HIDE_CURSOR : "";
    const after = this.isDrawn && region.length === 0 ? SHOW_CURSOR : "";
    this.#region = region;
    const text = [...lines, ...region].map((line) => `${line}\n`).join("");
    if (before + text + after !== "") this.#window.write(before + text + after);
  }

  /** Clears the region; the next text is written in its place. */
  clear(): void {
    this.draw([], []);
  }

  /** Draws the same region again after the window has changed or another program has written to it. */
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

/** The number of rows that a line fills in a window of this width. */
function lineHeight(line: string, columns: number): number {
  return Math.max(1, Math.ceil(displayWidth(line.replaceAll(COLOR, "")) / columns));
}

function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, place) => line === other[place]);
}

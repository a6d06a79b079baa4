// A terminal that knows as much as the command uses: letters, ends of line, moving up, clearing below, hiding the cursor.
// Whatever else it is told is an error, so a test sees when the command uses more than it should.

import { displayWidth } from "../src/terminal/text-layout.ts";

export class SmallTerminal {
  columns: number;
  rows: number;
  isCursorHidden = false;
  writes = 0;
  readonly #resized = new Set<() => void>();
  /** Whole lines as they were written; where one is wider than the window it takes several rows. */
  #lines: string[] = [""];
  #row = 0;

  constructor(columns: number = 80, rows: number = 24) {
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): void {
    this.writes++;
    // oxlint-disable-next-line no-control-regex
    for (const [token] of text.matchAll(/\u001b\[[?0-9;:]*[A-Za-z]|[^\u001b]/gsu)) this.#take(token);
  }

  onResize(call: () => void): () => void {
    this.#resized.add(call);
    return () => this.#resized.delete(call);
  }

  resize(columns: number, rows: number = this.rows): void {
    this.columns = columns;
    this.rows = rows;
    for (const call of this.#resized) call();
  }

  /** The readable text, without empty lines at the end. */
  get text(): readonly string[] {
    return this.#lines.slice(0, this.#lines.findLastIndex((line) => line !== "") + 1);
  }

  #take(token: string): void {
    // oxlint-disable-next-line no-control-regex
    const up = /^\u001b\[(\d+)A$/u.exec(token);
    if (token === "\n") this.#down();
    else if (token === "\r") return;
    else if (token === "\u001b[?25l") this.isCursorHidden = true;
    else if (token === "\u001b[?25h") this.isCursorHidden = false;
    else if (token === "\u001b[J") this.#lines = [...this.#lines.slice(0, this.#row), ""];
    else if (up !== null) this.#up(Number(up[1]));
    else if (token.startsWith("\u001b")) {
      if (!token.endsWith("m")) throw new Error(`the terminal was told ${JSON.stringify(token)}`);
    } else this.#lines[this.#row] += token;
  }

  #down(): void {
    this.#row++;
    if (this.#row === this.#lines.length) this.#lines.push("");
  }

  /** By rows of the window, as terminals do that fold their lines anew when they are made narrower. */
  #up(rows: number): void {
    for (let left = rows; left > 0 && this.#row > 0;) {
      this.#row--;
      left -= Math.max(1, Math.ceil(displayWidth(this.#lines[this.#row]!) / this.columns));
      if (left < 0) throw new Error("the cursor was moved into the middle of a line");
    }
  }
}

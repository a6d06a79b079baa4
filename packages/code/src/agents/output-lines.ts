// Splits the output of an agent into lines. A line that is too long is cut, so that an agent that floods its output cannot
// fill the memory; the log keeps all of it.

import { StringDecoder } from "node:string_decoder";

/** The longest line that is read as an event. */
const LINE_BYTES_MAX: number = 10 * 1024 * 1024;

export class OutputLines {
  readonly #decoder = new StringDecoder("utf8");
  readonly #onLine: (line: string) => void;
  readonly #charsMax: number;
  #parts: string[] = [];
  #chars = 0;

  constructor(onLine: (line: string) => void, charsMax: number = LINE_BYTES_MAX) {
    this.#onLine = onLine;
    this.#charsMax = charsMax;
  }

  write(chunk: Uint8Array): void {
    this.#add(this.#decoder.write(chunk));
  }

  /** The last line need not end with a line break. */
  end(): void {
    this.#add(this.#decoder.end());
    if (this.#chars > 0) this.#flush();
  }

  #add(text: string): void {
    let from = 0;
    for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
      this.#keep(text.slice(from, to));
      this.#flush();
      from = to + 1;
    }
    this.#keep(text.slice(from));
  }

  #keep(text: string): void {
    const room = this.#charsMax - this.#chars;
    if (room <= 0 || text === "") return;
    this.#parts.push(text.slice(0, room));
    this.#chars += Math.min(room, text.length);
  }

  #flush(): void {
    const line = this.#parts.join("");
    this.#parts = [];
    this.#chars = 0;
    this.#onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}

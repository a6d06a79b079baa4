// The transcript of an agent that speaks the Agent Client Protocol: its texts, and the titles of its tool calls.

import { OutputLines } from "./output-lines.ts";
import type { Transcript, TranscriptWriter } from "./transcript.ts";

export class AcpTranscript {
  readonly #writer: TranscriptWriter;
  readonly #lines: OutputLines;
  /** Texts arrive without waiting, and are written one after the other. */
  #writing: Promise<void> = Promise.resolve();
  #isInLine = false;

  constructor(transcript: Transcript, onLine: (line: string) => void = () => {}) {
    this.#writer = transcript.writer();
    this.#lines = new OutputLines(onLine);
  }

  /** A part of a text, which need not be a whole line. */
  addText(text: string): void {
    if (text !== "") this.#isInLine = !text.endsWith("\n");
    this.#write(text);
  }

  addLine(line: string): void {
    this.#write(`${this.#isInLine ? "\n" : ""}${line}\n`);
    this.#isInLine = false;
  }

  /** Resolves when the texts so far are written, or have failed to be. */
  async written(): Promise<void> {
    await this.#writing.catch(() => {});
  }

  /** Throws if a text could not be written. */
  async end(): Promise<void> {
    this.#lines.end();
    await this.#writing;
    await this.#writer.end();
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    this.#lines.write(bytes);
    this.#writing = this.#writing.then(() => this.#writer.write(bytes));
    // `end` throws it.
    this.#writing.catch(() => {});
  }
}

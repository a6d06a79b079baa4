// The transcript of an agent that speaks the Agent Client Protocol: its texts, and the titles of its tool calls.

import type { Transcript, TranscriptWriter } from "./transcript.ts";

export class AcpTranscript {
  readonly #writer: TranscriptWriter;
  /** Texts arrive without waiting, and are written one after the other. */
  #writing: Promise<void> = Promise.resolve();
  #isInLine = false;

  constructor(transcript: Transcript) {
    this.#writer = transcript.writer();
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

  /** Throws if a text could not be written. */
  async end(): Promise<void> {
    await this.#writing;
    await this.#writer.end();
  }

  #write(text: string): void {
    this.#writing = this.#writing.then(() => this.#writer.write(Buffer.from(text)));
    // `end` throws it.
    this.#writing.catch(() => {});
  }
}

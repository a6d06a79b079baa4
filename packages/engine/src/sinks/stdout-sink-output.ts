// Writes lines to stdout of this process. A slow reader slows down only the sink; a reader that has gone is reported.

import type { SinkOutput } from "./sink-output.ts";

let isStdoutSafe = false;

export class StdoutSinkOutput implements SinkOutput {
  readonly type = "stdout";
  readonly name = "stdout";

  readonly #write: ((text: string) => void) | undefined;

  /** `write` writes instead of stdout of this process, for example above a drawing. */
  constructor(write?: (text: string) => void) {
    this.#write = write;
  }

  async send(lines: readonly string[]): Promise<void> {
    const text = `${lines.join("\n")}\n`;
    if (this.#write === undefined) await writeToStdout(text);
    else this.#write(text);
  }

  async close(): Promise<void> {}
}

function writeToStdout(text: string): Promise<void> {
  // Node.js throws an `error` event without a listener, and a closed pipe must not end the process.
  if (!isStdoutSafe) process.stdout.on("error", () => undefined);
  isStdoutSafe = true;
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

// Writes lines to stdout of this process. A slow reader slows down only the sink; a reader that has gone is reported.

import type { SinkOutput } from "./sink-output.ts";

let isStdoutSafe = false;

export class StdoutSinkOutput implements SinkOutput {
  readonly name = "the sink stdout";

  send(lines: readonly string[]): Promise<void> {
    // Node.js throws an `error` event without a listener, and a closed pipe must not end the process.
    if (!isStdoutSafe) process.stdout.on("error", () => undefined);
    isStdoutSafe = true;
    return new Promise((resolve, reject) => {
      process.stdout.write(`${lines.join("\n")}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {}
}

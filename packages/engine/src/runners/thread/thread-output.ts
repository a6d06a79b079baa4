// Output to stdout and stderr on an agent thread goes through the thread's own port. Node.js's own way would keep the
// process alive as long as the thread exists, and would not tell which output came before the end of an attempt.

interface OutputChunk {
  readonly chunk: string | Uint8Array;
  readonly encoding: BufferEncoding;
}

type ChunkConsumer = (stream: "stdout" | "stderr", bytes: Uint8Array) => void;

/** Only the destination changes: code that holds a reference to a stream keeps a working stream. */
export function captureOutput(consume: ChunkConsumer): void {
  for (const stream of ["stdout", "stderr"] as const) {
    const write = (chunks: readonly OutputChunk[], done: () => void): void => {
      for (const each of chunks) consume(stream, toBytes(each));
      done();
    };
    Object.assign(process[stream], { _writev: write });
  }
}

function toBytes({ chunk, encoding }: OutputChunk): Uint8Array {
  return typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
}

// Sends text that is written to stdout and stderr on a worker thread through the thread's message port. The built-in way of
// Node.js would keep the process alive as long as the thread exists, and would not tell which text came before the end
// of an attempt.

interface WrittenChunk {
  readonly chunk: string | Uint8Array;
  readonly encoding: BufferEncoding;
}

type ChunkConsumer = (stream: "stdout" | "stderr", bytes: Uint8Array) => void;

/** Only the destination changes: code that holds a reference to a stream keeps a working stream. */
export function captureStdio(consume: ChunkConsumer): void {
  for (const stream of ["stdout", "stderr"] as const) {
    const write = (chunks: readonly WrittenChunk[], done: () => void): void => {
      for (const each of chunks) consume(stream, toBytes(each));
      done();
    };
    Object.assign(process[stream], { _writev: write });
  }
}

function toBytes({ chunk, encoding }: WrittenChunk): Uint8Array {
  return typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
}

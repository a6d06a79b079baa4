// What is written to stdout and stderr on a thread of agents goes by the thread's own port. The way of Node.js would keep
// the process alive as long as the thread is there, and say nothing about what was written before an attempt ended.

interface OutputChunk {
  readonly chunk: string | Uint8Array;
  readonly encoding: BufferEncoding;
}

type ChunkConsumer = (stream: "stdout" | "stderr", bytes: Uint8Array) => void;

/** The streams stay what they are, for whoever has hold of them; only where they write to is another place. */
export function captureOutput(take: ChunkConsumer): void {
  for (const stream of ["stdout", "stderr"] as const) {
    const write = (chunks: readonly OutputChunk[], done: () => void): void => {
      for (const each of chunks) take(stream, toBytes(each));
      done();
    };
    Object.assign(process[stream], { _writev: write });
  }
}

function toBytes({ chunk, encoding }: OutputChunk): Uint8Array {
  return typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
}

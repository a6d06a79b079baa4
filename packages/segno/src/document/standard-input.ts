/** Stands for standard input where a file is expected. */
export const STANDARD_INPUT = "-";

/** Keeps at most one byte more than `limit`, so that the caller can detect excess. */
export async function readStandardInput(limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit + 1);
}

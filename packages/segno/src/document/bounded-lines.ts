// Reads the lines of a stream, up to a maximum length: `node:readline` buffers lines of any length until memory runs out.

import { SegnoError } from "@segno/kernel";

const LINE_FEED = 0x0a;

export async function* boundedLines(input: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield joinLine(parts, chunk.subarray(start, end), bytesMax);
      parts = [];
      bytes = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    bytes += rest.length;
    if (bytes > bytesMax) throw tooLong(bytesMax);
    if (rest.length > 0) parts.push(rest);
  }
  if (bytes > 0) yield joinLine(parts, new Uint8Array(), bytesMax);
}

/** Removes the carriage return of Windows line ends. */
function joinLine(parts: readonly Uint8Array[], last: Uint8Array, bytesMax: number): string {
  const line = Buffer.concat([...parts, last]);
  if (line.length > bytesMax) throw tooLong(bytesMax);
  const text = line.toString("utf8");
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

function tooLong(bytesMax: number): SegnoError {
  return new SegnoError("INPUT_UNREADABLE", `a line is longer than ${bytesMax} bytes`);
}

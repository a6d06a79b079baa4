// Progress that a command reports: lines of its stdout such as `{"segno":1,"type":"progress","fraction":0.4}`.
//
//   PL1. Such a line is not part of the output of the step, so that a command may report progress and print a result.
//   PL2. Every other line stays as it is, also one that begins alike and is not progress.
//   PL3. At most one line is held back, and only while it may be progress.

import { checkProgress, type ProgressValue } from "../../agents/progress.ts";

const LINE_FEED = 0x0a;
const PREFIX = Buffer.from('{"segno":1,"type":"progress",');
const LINE_START = Buffer.concat([Buffer.from("\n"), PREFIX]);
const LINE_BYTES_MAX = 4096;
const NOTHING = Buffer.alloc(0);

export class ProgressLines {
  readonly #onProgress: (progress: ProgressValue) => void;
  /** The beginning of a line that may be progress. */
  #held: Buffer = NOTHING;
  #isLineStart = true;

  constructor(onProgress: (progress: ProgressValue) => void) {
    this.#onProgress = onProgress;
  }

  /** Returns the bytes that are not progress. The last line may have no end. */
  filter(chunk: Uint8Array, isLast: boolean): Uint8Array {
    const kept = this.#write(chunk);
    return isLast ? Buffer.concat([kept, this.#end()]) : kept;
  }

  #write(chunk: Uint8Array): Uint8Array {
    const bytes = this.#held.length === 0 ? toBuffer(chunk) : Buffer.concat([this.#held, chunk]);
    this.#held = NOTHING;
    const kept: Buffer[] = [];
    let from = 0;
    for (let start = this.#firstLine(bytes); start !== -1; start = nextLine(bytes, start)) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const line = bytes.subarray(start, feed === -1 ? bytes.length : feed);
      if (feed === -1 && mayBeProgress(line)) {
        kept.push(bytes.subarray(from, start));
        this.#held = Buffer.from(line);
        from = bytes.length;
      } else if (feed !== -1 && this.#take(line)) {
        kept.push(bytes.subarray(from, start));
        from = feed + 1;
      }
    }
    kept.push(bytes.subarray(from));
    if (bytes.length > 0) this.#isLineStart = this.#held.length > 0 || bytes.at(-1) === LINE_FEED;
    return kept.length === 1 ? kept[0]! : Buffer.concat(kept);
  }

  /** Returns the bytes that are still held back. */
  #end(): Uint8Array {
    const held = this.#held;
    this.#held = NOTHING;
    return held.length > 0 && this.#take(held) ? NOTHING : held;
  }

  /** The start of the first line that begins like progress; -1 if there is none. */
  #firstLine(bytes: Buffer): number {
    return this.#isLineStart && beginsAlike(bytes, 0) ? 0 : nextLine(bytes, -1);
  }

  /** Returns whether the line is progress, and reports it. */
  #take(line: Buffer): boolean {
    const progress = readProgress(line);
    if (progress !== undefined) this.#onProgress(progress);
    return progress !== undefined;
  }
}

function toBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** The start of the next line after a position that begins like progress; -1 if there is none. */
function nextLine(bytes: Buffer, after: number): number {
  const found = bytes.indexOf(LINE_START, Math.max(after, 0));
  if (found !== -1) return found + 1;
  const last = bytes.lastIndexOf(LINE_FEED);
  return last >= Math.max(after, 0) && beginsAlike(bytes, last + 1) ? last + 1 : -1;
}

/** Whether the bytes from here are the prefix, or end inside it. */
function beginsAlike(bytes: Buffer, start: number): boolean {
  const length = Math.min(PREFIX.length, bytes.length - start);
  return length > 0 && PREFIX.compare(bytes, start, start + length, 0, length) === 0;
}

function mayBeProgress(line: Buffer): boolean {
  return line.length <= LINE_BYTES_MAX;
}

/** PL2. */
function readProgress(line: Buffer): ProgressValue | undefined {
  if (line.length < PREFIX.length || line.length > LINE_BYTES_MAX) return undefined;
  try {
    const { segno: _protocol, type: _type, fraction, text, ...counts } = JSON.parse(line.toString()) as CommandProgress;
    if (fraction === undefined) return checkProgress({ ...counts, ...(text === undefined ? {} : { message: text }) });
    if (Object.keys(counts).length > 0 || (text !== undefined && typeof text !== "string")) return undefined;
    return { ...checkProgress(fraction), ...(text === undefined ? {} : { message: text }) };
  } catch {
    return undefined;
  }
}

/** The keys of a line of progress, before they are checked. */
interface CommandProgress {
  readonly segno: unknown;
  readonly type: unknown;
  readonly fraction?: unknown;
  readonly text?: unknown;
}

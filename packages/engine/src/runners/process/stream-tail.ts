// The last bytes of a stream in bounded memory: a ring buffer that grows up to its limit.
//
//   ST1. It never holds more than its limit, however much is written and however small the chunks are.
//   ST2. Text that was cut begins with a whole character, and with a whole line if one begins soon.

const FIRST_BYTES = 1024;
/** How far the start of a line is searched for in text that was cut. */
const LINE_SEARCH_BYTES = 4096;
const NEWLINE = 0x0a;
/** A UTF-8 character has at most four bytes. */
const CONTINUATION_BYTES_MAX = 3;

export class StreamTail {
  readonly #limit: number;
  #ring: Buffer = Buffer.alloc(0);
  /** Total bytes written; the ring holds the last of them. */
  #written = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** Whether bytes were dropped. */
  get isCut(): boolean {
    return this.#written > this.#limit;
  }

  write(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#grow(this.#written + chunk.length);
    const kept = chunk.length > this.#limit ? chunk.subarray(chunk.length - this.#limit) : chunk;
    const offset = (this.#written + chunk.length - kept.length) % this.#ring.length;
    const room = this.#ring.length - offset;
    this.#ring.set(kept.length > room ? kept.subarray(0, room) : kept, offset);
    if (kept.length > room) this.#ring.set(kept.subarray(room), 0);
    this.#written += chunk.length;
  }

  /** Until bytes are dropped, the ring holds everything from index 0, so growing is a plain copy. */
  #grow(needed: number): void {
    const { length } = this.#ring;
    if (needed <= length || length === this.#limit) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(FIRST_BYTES, length * 2, needed)));
    larger.set(this.#ring.subarray(0, this.#written));
    this.#ring = larger;
  }

  /** Invalid UTF-8 becomes replacement characters. */
  text(): string {
    if (!this.isCut) return this.#ring.toString("utf8", 0, this.#written);
    const offset = this.#written % this.#ring.length;
    return wholeLines(Buffer.concat([this.#ring.subarray(offset), this.#ring.subarray(0, offset)])).toString("utf8");
  }
}

function wholeLines(bytes: Buffer): Buffer {
  const newline = bytes.subarray(0, LINE_SEARCH_BYTES).indexOf(NEWLINE);
  if (newline >= 0) return bytes.subarray(newline + 1);
  let start = 0;
  while (start < CONTINUATION_BYTES_MAX && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

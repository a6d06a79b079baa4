// The line splitter: splits the bytes of one stream of one attempt into lines.
//
//   S1. A line ends with a line feed, with a carriage return and a line feed, or with a lone carriage return. The last
//       line needs no end. Lines that end with a line feed do not depend on how the bytes are chunked.
//   S2. After a lone carriage return the line is overwritten, as in a progress bar. Of such lines in one chunk only the
//       last is emitted, and not even that if a line feed ends the text that overwrites it. So their number depends on
//       the chunks; between line feeds it is at most one per chunk.
//   S3. A line has a maximum number of bytes, and no character is split. Of a longer line the beginning is emitted,
//       followed by the number of bytes left out. Between chunks at most one such line is held.
//   S4. Invalid UTF-8 becomes replacement characters. Lines are split before they are decoded, so a character that
//       spans two chunks is complete.

import type { LogCut } from "../store/step-logs.ts";

export type OnLine = (text: string, cut?: LogCut) => void;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A complete line: its kept bytes, and the number of bytes left out. */
interface SplitLine {
  readonly text: string;
  readonly dropped: number;
}

export class LineSplitter {
  readonly #bytesMax: number;
  readonly #onLine: OnLine;
  /** The beginning of an incomplete line. It is created on demand, because most chunks end with a line. */
  #begun: Buffer | undefined;
  #begunBytes = 0;
  #droppedBytes = 0;
  /** A line of this chunk that ended with a lone carriage return. */
  #overwritten: SplitLine | undefined;
  /** True if an emitted line ended its chunk with a carriage return: a following line feed belongs to it. */
  #isFeedDue = false;

  constructor(bytesMax: number, onLine: OnLine) {
    this.#bytesMax = bytesMax;
    this.#onLine = onLine;
  }

  write(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let feed = indexOf(bytes, LINE_FEED, 0);
    let carriage = indexOf(bytes, CARRIAGE_RETURN, 0);
    let start = 0;
    while (start < bytes.length) {
      const end = Math.min(feed, carriage);
      const part = bytes.subarray(start, end);
      if (end === bytes.length) this.#begin(part);
      else if (end === feed) this.#feed(part);
      else this.#return(part);
      start = end + 1;
      if (end === feed) feed = indexOf(bytes, LINE_FEED, start);
      else carriage = indexOf(bytes, CARRIAGE_RETURN, start);
    }
    this.#giveOverwritten();
  }

  /** Emits the incomplete last line. */
  end(): void {
    if (!this.#isEmpty) this.#give(this.#take(EMPTY));
    this.#begun = undefined;
  }

  get #isEmpty(): boolean {
    return this.#begunBytes === 0;
  }

  #feed(part: Buffer): void {
    const isBlank = this.#isEmpty && part.length === 0;
    if (isBlank && this.#isFeedDue) this.#isFeedDue = false;
    else if (isBlank && this.#overwritten !== undefined) this.#give(this.#overwritten);
    else this.#give(this.#take(part));
    this.#overwritten = undefined;
  }

  /** Empty text overwrites nothing: `\r\r\n` ends one line. */
  #return(part: Buffer): void {
    if (this.#isEmpty && part.length === 0) return;
    this.#overwritten = this.#take(part);
  }

  #giveOverwritten(): void {
    if (this.#overwritten === undefined) return;
    this.#give(this.#overwritten);
    this.#overwritten = undefined;
    this.#isFeedDue = this.#isEmpty;
  }

  #give({ text, dropped }: SplitLine): void {
    this.#onLine(text);
    if (dropped > 0) this.#onLine("", { kind: "line", bytes: dropped });
  }

  /** The line that ends with these bytes. Nearly always it lies in one chunk, and nothing is copied. */
  #take(part: Buffer): SplitLine {
    this.#isFeedDue = false;
    if (this.#isEmpty && part.length <= this.#bytesMax) return { text: part.toString(), dropped: 0 };
    this.#begin(part);
    const line = this.#cutLine(this.#begun!.subarray(0, this.#begunBytes));
    this.#begunBytes = 0;
    this.#droppedBytes = 0;
    return line;
  }

  #begin(part: Buffer): void {
    if (part.length === 0) return;
    this.#isFeedDue = false;
    this.#begun ??= Buffer.allocUnsafe(this.#bytesMax);
    const copied = part.copy(this.#begun, this.#begunBytes);
    this.#begunBytes += copied;
    this.#droppedBytes += part.length - copied;
  }

  #cutLine(kept: Buffer): SplitLine {
    if (this.#droppedBytes === 0) return { text: kept.toString(), dropped: 0 };
    const whole = kept.subarray(0, kept.length - unfinishedBytes(kept));
    return { text: whole.toString(), dropped: this.#droppedBytes + kept.length - whole.length };
  }
}

const EMPTY = Buffer.alloc(0);

/** The index of the byte, or the length. */
function indexOf(bytes: Buffer, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from);
  return index === -1 ? bytes.length : index;
}

/** The number of bytes at the end that begin an incomplete character. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

// The output of an agent on disk.
//
//   TR1. A line is masked as a whole before it is written (DATA-9).
//   TR2. A line of any length takes little memory. A long line is written in pieces, which are cut where no secret of
//        up to `OVERLAP_CHARS` is cut: there, masking the parts gives the same text as masking the whole.
//   TR3. A write waits for the disk, so an agent that floods its output is slowed down.

import { constants, createWriteStream, type WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { once } from "node:events";
import { finished } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import type { SessionOutput } from "./agent-executor.ts";

const PIECE_CHARS = 64 * 1024;
const OVERLAP_CHARS = 16 * 1024;
const CUT_STEP_CHARS = 512;
/** The largest part of a transcript that is read at once. */
const READ_BYTES_MAX = 1024 * 1024;

export class Transcript {
  readonly path: string;
  readonly #file: WriteStream;
  readonly #closed: Promise<void>;
  readonly #maskText: (text: string) => string;

  constructor(path: string, maskText: (text: string) => string = (text) => text) {
    this.path = path;
    this.#maskText = maskText;
    this.#file = createWriteStream(path, { mode: 0o600 });
    this.#closed = finished(this.#file);
    // The error is thrown by the next write, or by `close`.
    this.#closed.catch(() => {});
  }

  /** A writer for one stream of the agent. Lines of several writers do not mix. */
  writer(): TranscriptWriter {
    return new TranscriptWriter((text) => this.#write(text), this.#maskText);
  }

  async close(): Promise<void> {
    this.#file.end();
    await this.#closed;
  }

  async #write(text: string): Promise<void> {
    if (this.#file.errored !== null) throw this.#file.errored;
    if (!this.#file.write(text)) await once(this.#file, "drain");
  }
}

export class TranscriptWriter {
  readonly #write: (text: string) => Promise<void>;
  readonly #maskText: (text: string) => string;
  readonly #decoder = new StringDecoder("utf8");
  #line = "";

  constructor(write: (text: string) => Promise<void>, maskText: (text: string) => string) {
    this.#write = write;
    this.#maskText = maskText;
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#add(this.#decoder.write(chunk));
  }

  async end(): Promise<void> {
    await this.#add(this.#decoder.end());
    if (this.#line !== "") await this.#write(this.#maskText(`${this.#line}\n`));
    this.#line = "";
  }

  async #add(text: string): Promise<void> {
    const lines = `${this.#line}${text}`.split("\n");
    this.#line = lines.pop()!;
    if (lines.length > 0) await this.#write(lines.map((line) => `${this.#maskText(line)}\n`).join(""));
    while (this.#line.length > PIECE_CHARS + OVERLAP_CHARS) await this.#writePiece();
  }

  /** Writes the beginning of a long line (TR2). */
  async #writePiece(): Promise<void> {
    const end = findCut(this.#line.slice(0, PIECE_CHARS + OVERLAP_CHARS), this.#maskText);
    await this.#write(this.#maskText(this.#line.slice(0, end)));
    this.#line = this.#line.slice(end);
  }
}

/** A place where no secret is cut; the end of the text if there is none. */
function findCut(text: string, maskText: (text: string) => string): number {
  const masked = maskText(text);
  for (let cut = PIECE_CHARS; cut > 0; cut -= CUT_STEP_CHARS) {
    const place = isLowSurrogate(text, cut) ? cut - 1 : cut;
    if (maskText(text.slice(0, place)) + maskText(text.slice(place)) === masked) return place;
  }
  return text.length;
}

function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/** A part of a transcript from a byte on. A transcript that does not exist yet is empty. */
export async function readTranscript(path: string, fromByte: number, hasEnded: boolean): Promise<SessionOutput> {
  const from = Math.max(0, Math.trunc(fromByte) || 0);
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.max(0, Math.min(READ_BYTES_MAX, size - from)));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
    const whole = wholeCharacters(buffer.subarray(0, bytesRead));
    const nextByte = from + whole.length;
    return { text: whole.toString("utf8"), nextByte, isEnded: hasEnded && nextByte >= size };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return { text: "", nextByte: from, isEnded: hasEnded };
  }
}

const CONTINUATION_BYTES_MAX = 3;

/** The bytes without a character that is cut at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(CONTINUATION_BYTES_MAX, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    return characterBytes(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function characterBytes(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

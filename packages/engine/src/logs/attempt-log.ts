// What one attempt writes: its streams masked, split into lines, and bounded together.
//
//   A1. Masking comes first (DATA-9): lines are split from what was masked, and nothing else is ever held or given.
//   A2. An attempt may write so many bytes and so many lines, over all its streams. What comes after them is counted and not
//       looked at, and how much it was stands at the end of its log. Lines are counted slice by slice: there may be a slice
//       of them too many.
//   A3. After `close` nothing of it is kept any more.
//   A4. A secret that control characters stand in, such as colours, is none to the mask of bytes, and is one again where they are
//       left out to show the line. So a line in which there are any is also looked at without them.

import { stripVTControlCharacters } from "node:util";
import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { AttemptName, LogCut, LogLine, LogStream } from "../store/step-logs.ts";
import { LineSplitter } from "./line-splitter.ts";

/** Hides secrets in what one stream carries. It may hold back what could be the beginning of one, until `end`. */
export interface LogMaskStream {
  write(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

export interface AttemptLimits {
  readonly lineBytesMax: number;
  readonly attemptBytesMax: number;
  readonly attemptLinesMax: number;
}

export interface AttemptLogPorts {
  readonly limits: AttemptLimits;
  mask(): LogMaskStream;
  maskText(text: string): string;
  now(): EpochMs;
  take(execution: ExecutionId, lines: readonly LogLine[]): void;
}

/** Lines are handed on at the end of a chunk, and when they are so many: a chunk of line feeds is one of many lines. */
const LINES_AT_ONCE = 1000;
/** What is split before limits are looked at again; a pipe gives no more at once. */
const SLICE_BYTES = 64 * 1024;

/** What terminals are not shown of a line: control characters but tabs, marks of direction and other invisible letters. */
const CONTROLS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

export class AttemptLog {
  readonly #name: AttemptName;
  readonly #ports: AttemptLogPorts;
  readonly #masks = new Map<LogStream, LogMaskStream>();
  readonly #splitters = new Map<LogStream, LineSplitter>();
  #lines: LogLine[] = [];
  #bytesLeft: number;
  #linesLeft: number;
  #bytesOver = 0;
  /** The stream that went beyond what the attempt may write. */
  #streamOver: LogStream = "log";
  #isClosed = false;
  /** Of the chunk that is being split; the same for all its lines. */
  #at: EpochMs;

  constructor(name: AttemptName, ports: AttemptLogPorts) {
    this.#name = name;
    this.#ports = ports;
    this.#at = ports.now();
    this.#bytesLeft = ports.limits.attemptBytesMax;
    this.#linesLeft = ports.limits.attemptLinesMax;
  }

  wrote(stream: LogStream, chunk: Uint8Array): void {
    if (this.#isClosed || chunk.byteLength === 0) return;
    // Not even masked: a process that writes without end costs nothing but reading it.
    if (this.#bytesOver > 0) this.#bytesOver += chunk.byteLength;
    else this.#split(stream, this.#mask(stream).write(chunk));
  }

  /** A line of the attempt's logger. It is masked already. */
  line(text: string): void {
    if (!this.#isClosed) this.#split("log", Buffer.from(`${text}\n`));
  }

  /** Ends the last lines, which may have no line break. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const [stream, mask] of this.#masks) this.#split(stream, mask.end());
    for (const splitter of this.#splitters.values()) splitter.end();
    if (this.#bytesOver > 0) this.#add(this.#streamOver, "", { kind: "attempt", bytes: this.#bytesOver });
    this.#handOn();
  }

  #split(stream: LogStream, bytes: Uint8Array): void {
    this.#at = this.#ports.now();
    for (let start = 0; start < bytes.byteLength; start += SLICE_BYTES)
      this.#splitSlice(stream, bytes.subarray(start, start + SLICE_BYTES));
    this.#handOn();
  }

  #splitSlice(stream: LogStream, slice: Uint8Array): void {
    const within = this.#linesLeft > 0 ? Math.min(slice.byteLength, this.#bytesLeft) : 0;
    this.#bytesLeft -= within;
    if (within > 0) this.#splitter(stream).write(slice.subarray(0, within));
    if (within === slice.byteLength) return;
    if (this.#bytesOver === 0) this.#streamOver = stream;
    this.#bytesOver += slice.byteLength - within;
  }

  #add(stream: LogStream, written: string, cut?: LogCut): void {
    const { step, attempt } = this.#name;
    const text = this.#withoutSecrets(written);
    const line = { step, attempt, stream, at: this.#at, text };
    this.#lines.push(cut === undefined ? line : { ...line, cut });
    this.#linesLeft--;
    if (this.#lines.length >= LINES_AT_ONCE) this.#handOn();
  }

  /** A4. */
  #withoutSecrets(text: string): string {
    if (text.search(CONTROLS) < 0) return text;
    const shown = stripVTControlCharacters(text).replaceAll(CONTROLS, "");
    const masked = this.#ports.maskText(shown);
    return masked === shown ? text : masked;
  }

  #handOn(): void {
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#ports.take(this.#name.execution as ExecutionId, lines);
  }

  #mask(stream: LogStream): LogMaskStream {
    let mask = this.#masks.get(stream);
    if (mask === undefined) this.#masks.set(stream, (mask = this.#ports.mask()));
    return mask;
  }

  #splitter(stream: LogStream): LineSplitter {
    let splitter = this.#splitters.get(stream);
    if (splitter !== undefined) return splitter;
    splitter = new LineSplitter(this.#ports.limits.lineBytesMax, (text, cut) => this.#add(stream, text, cut));
    this.#splitters.set(stream, splitter);
    return splitter;
  }
}

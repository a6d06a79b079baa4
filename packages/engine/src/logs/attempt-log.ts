// The log of one attempt: masks its streams, splits them into lines, and limits them together.
//
//   A1. Masking comes first (DATA-9): lines are split from masked bytes, and no unmasked byte is kept or passed on. The
//       mask also finds a secret with colours inside, so no part of one reappears when a line is cut or stripped.
//   A2. The bytes and the lines of an attempt are limited, over all its streams. Output beyond the limit is only
//       counted, and the last line of the log states how much it was. Lines are counted per slice, so the log may
//       exceed the limit by one slice.
//   A3. After `close` no output is kept.

import { StringDecoder } from "node:string_decoder";
import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { StreamMasker } from "../secrets/stream-masker.ts";
import type { AttemptName, LogCut, LogLine, LogStream } from "../store/step-logs.ts";
import { LineSplitter } from "./line-splitter.ts";

export interface AttemptLimits {
  readonly lineBytesMax: number;
  readonly attemptBytesMax: number;
  readonly attemptLinesMax: number;
}

export interface AttemptLogPorts {
  readonly limits: AttemptLimits;
  mask(): StreamMasker;
  now(): EpochMs;
  take(execution: ExecutionId, lines: readonly LogLine[]): void;
  /** Undefined if nobody listens to the streams of the execution. */
  readonly onChunk: (execution: ExecutionId) => ((chunk: StreamChunk) => void) | undefined;
}

/** A part of a stream of an attempt, masked. It may end inside a line. */
export interface StreamChunk {
  readonly step: string;
  readonly attempt: number;
  readonly stream: LogStream;
  readonly text: string;
}

/** Lines are passed on at the end of a chunk, and after this number: a chunk of line feeds has many lines. */
const LINES_AT_ONCE = 1000;
/** The amount that is split between two checks of the limits; a pipe delivers no more at once. */
const SLICE_BYTES = 64 * 1024;

export class AttemptLog {
  readonly #name: AttemptName;
  readonly #ports: AttemptLogPorts;
  readonly #masks = new Map<LogStream, StreamMasker>();
  readonly #splitters = new Map<LogStream, LineSplitter>();
  /** A character of several bytes may be split over chunks. */
  readonly #decoders = new Map<LogStream, StringDecoder>();
  #lines: LogLine[] = [];
  #bytesLeft: number;
  #linesLeft: number;
  #bytesOver = 0;
  /** The stream that exceeded the limit of the attempt. */
  #streamOver: LogStream = "log";
  #isClosed = false;
  /** The time of the current chunk; all its lines share it. */
  #at: EpochMs;

  constructor(name: AttemptName, ports: AttemptLogPorts) {
    this.#name = name;
    this.#ports = ports;
    this.#at = ports.now();
    this.#bytesLeft = ports.limits.attemptBytesMax;
    this.#linesLeft = ports.limits.attemptLinesMax;
  }

  write(stream: LogStream, chunk: Uint8Array): void {
    if (this.#isClosed || chunk.byteLength === 0) return;
    // Output beyond the limit is not even masked, so a process that writes without end costs only the reads.
    if (this.#bytesOver > 0) this.#bytesOver += chunk.byteLength;
    else this.#splitMasked(stream, this.#mask(stream).write(chunk));
  }

  /** Adds a line of the attempt's logger. It is already masked. */
  writeLine(text: string): void {
    if (!this.#isClosed) this.#split("log", Buffer.from(`${text}\n`));
  }

  /** Ends the last lines, which may have no line break. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const [stream, mask] of this.#masks) this.#splitMasked(stream, mask.end());
    for (const splitter of this.#splitters.values()) splitter.end();
    if (this.#bytesOver > 0) this.#add(this.#streamOver, "", { kind: "attempt", bytes: this.#bytesOver });
    this.#handOn();
  }

  #splitMasked(stream: LogStream, bytes: Uint8Array): void {
    if (bytes.byteLength > 0) this.#passOn(stream, bytes);
    this.#split(stream, bytes);
  }

  /** Within the limits of the attempt (A2). */
  #passOn(stream: LogStream, bytes: Uint8Array): void {
    const listener = this.#ports.onChunk(this.#name.execution as ExecutionId);
    if (listener === undefined || this.#linesLeft <= 0 || this.#bytesLeft <= 0) return;
    let decoder = this.#decoders.get(stream);
    if (decoder === undefined) this.#decoders.set(stream, (decoder = new StringDecoder("utf8")));
    const text = decoder.write(bytes.subarray(0, this.#bytesLeft));
    const { step, attempt } = this.#name;
    if (text !== "") listener({ step, attempt, stream, text });
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

  #add(stream: LogStream, text: string, cut?: LogCut): void {
    const { step, attempt } = this.#name;
    const line = { step, attempt, stream, at: this.#at, text };
    this.#lines.push(cut === undefined ? line : { ...line, cut });
    this.#linesLeft--;
    if (this.#lines.length >= LINES_AT_ONCE) this.#handOn();
  }

  #handOn(): void {
    if (this.#lines.length === 0) return;
    const lines = this.#lines;
    this.#lines = [];
    this.#ports.take(this.#name.execution as ExecutionId, lines);
  }

  #mask(stream: LogStream): StreamMasker {
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

// Captures the text that step code writes to stdout and stderr of this process, with `console` or through the streams.
//
// It finds the attempt that writes, and passes the output to the attempt's log and optionally to the terminal. The log
// itself masks and splits (`attempt-log.ts`). Threads and processes have their own streams. Output to a file
// descriptor, for example by `fs.writeSync(1, …)`, is not captured.
//
//   SS1. Output belongs to the attempt in whose asynchronous context it is written, including timers and promises that
//        its function left behind. All other output goes to its original destination.
//   SS2. The terminal gets the masked output (DATA-9), in the order in which it was written.
//   SS3. Loggers, listeners and fault handlers run outside every step, even if step code is on the stack: their output
//        is not the step's, and a listener that prints a line must not cause another line.
//   SS4. An ended attempt is released, because its leftovers may live as long as the process.
//   SS5. An uncaught error belongs to the attempt in whose asynchronous context it was thrown. It fails an attempt that
//        still runs. For an attempt that has ended, only the first such error is added to its log, masked: a timer may
//        throw for ever.

import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";
import type { Masker } from "../secrets/masker.ts";
import type { StreamMasker } from "../secrets/stream-masker.ts";
import type { AttemptName } from "../store/step-logs.ts";

type StreamName = "stdout" | "stderr";

/** The part of an attempt that receives the bytes of its streams. */
interface StreamReceiver extends AttemptName {
  writeStream(stream: StreamName, chunk: Uint8Array): void;
}

/** The step that an uncaught error belongs to. */
export interface UncaughtInStep extends AttemptName {
  /** True if the attempt still ran and failed with the error. */
  readonly isFailed: boolean;
  /** Masks a text. */
  readonly mask: (text: string) => string;
}

export interface ConsoleCaptureOptions {
  readonly masker: Masker;
  /** Whether the output of attempts is stored. */
  readonly hasLogs: boolean;
  /** Whether the output is also written to the terminal. */
  readonly isShown: boolean;
  /** Adds unmasked text to the log of an ended attempt. */
  readonly addLate: (attempt: AttemptName, text: string) => void;
}

const current = new AsyncLocalStorage<ConsoleScope | undefined>();

/** SS3. */
export function runOutsideSteps<Result>(work: () => Result): Result {
  return current.getStore() === undefined ? work() : current.run(undefined, work);
}

/**
 * For listeners of `uncaughtException` and `unhandledRejection`: assigns an uncaught error to its attempt (SS5).
 * Undefined if it belongs to none.
 */
export function assignToStep(error: unknown): UncaughtInStep | undefined {
  const scope = current.getStore();
  return scope === undefined ? undefined : runOutsideSteps(() => scope.uncaught(error));
}

/** Opens a console scope for each attempt of one engine. */
export class ConsoleCapture {
  readonly #options: ConsoleCaptureOptions;

  constructor(options: ConsoleCaptureOptions) {
    this.#options = options;
  }

  /**
   * Undefined if the terminal is the only destination and there is no secret to mask: tracking the asynchronous context
   * of an attempt takes almost as long as the rest of a step in memory (measured: about 1 µs).
   */
  openScope(attempt: StreamReceiver): ConsoleScope | undefined {
    const { masker, hasLogs, isShown } = this.#options;
    if (isShown && !hasLogs && masker.isIdle) return undefined;
    captureStdio();
    return new ConsoleScope(attempt, this.#options);
  }
}

/** The asynchronous context of one attempt's code, which receives what that code writes to stdout and stderr. */
export class ConsoleScope {
  readonly #options: ConsoleCaptureOptions;
  readonly #name: AttemptName;
  #attempt: StreamReceiver | undefined;
  #masks: Map<StreamName, StreamMasker> | undefined;
  #hasLateError = false;
  /** Fails the attempt with an uncaught error; returns false if the attempt no longer runs. */
  onUncaught: (error: unknown) => boolean = () => false;

  constructor(attempt: StreamReceiver, options: ConsoleCaptureOptions) {
    const { execution, step, attempt: number } = attempt;
    this.#attempt = attempt;
    this.#name = { execution, step, attempt: number };
    this.#options = options;
  }

  /** Runs `work`; its output, and that of its asynchronous continuations, belongs to the attempt. */
  run<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  write(stream: StreamName, chunk: Uint8Array): void {
    this.#attempt?.writeStream(stream, chunk);
    if (this.#options.isShown)
      show(stream, this.#attempt === undefined ? this.#maskedLate(chunk) : this.#maskChunk(stream, chunk));
  }

  /** SS5. */
  uncaught(error: unknown): UncaughtInStep {
    const isFailed = this.onUncaught(error);
    if (!isFailed && !this.#hasLateError) {
      this.#hasLateError = true;
      this.#options.addLate(this.#name, `Uncaught after the attempt had ended: ${errorText(error)}\n`);
    }
    return { ...this.#name, isFailed, mask: (text) => this.#options.masker.text(text) };
  }

  /** The attempt has exited. */
  close(): void {
    this.#attempt = undefined;
    this.onUncaught = () => false;
    for (const [stream, mask] of this.#masks ?? []) show(stream, mask.end());
    this.#masks = undefined;
  }

  #maskChunk(stream: StreamName, chunk: Uint8Array): Uint8Array {
    if (this.#masks === undefined && this.#options.masker.isIdle) return chunk;
    this.#masks ??= new Map();
    let mask = this.#masks.get(stream);
    if (mask === undefined) this.#masks.set(stream, (mask = this.#options.masker.stream()));
    return mask.write(chunk);
  }

  /** No call would end a mask stream that holds bytes back, so each chunk is masked by itself. */
  #maskedLate(chunk: Uint8Array): Uint8Array {
    const mask = this.#options.masker.stream();
    return Buffer.concat([mask.write(chunk), mask.end()]);
  }
}

/**
 * The stack, the causes and the properties; a hostile error may throw when it is read. No text is cut here: the log
 * masks before it cuts (DATA-9).
 */
function errorText(error: unknown): string {
  try {
    return inspect(error, { maxStringLength: Infinity });
  } catch {
    return "an error that cannot be read";
  }
}

function show(stream: StreamName, chunk: Uint8Array): void {
  if (chunk.byteLength > 0) runOutsideSteps(() => process[stream].write(chunk));
}

let isCapturing = false;

/** Patches the `write` methods in place, so that existing references to the streams are captured, too. */
function captureStdio(): void {
  if (isCapturing) return;
  isCapturing = true;
  for (const stream of ["stdout", "stderr"] as const) captureStream(stream);
}

function captureStream(name: StreamName): void {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...given: readonly unknown[]) => boolean;
  const capturing = (...given: readonly unknown[]): boolean => {
    const scope = current.getStore();
    const bytes = scope === undefined ? undefined : toBytes(given);
    if (scope === undefined || bytes === undefined) return write(...given);
    scope.write(name, bytes);
    const done = given.findLast((each) => typeof each === "function");
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  Object.assign(stream, { write: capturing });
}

/** Copies, because the writer may reuse its buffer. Undefined for an invalid chunk, which the stream itself rejects. */
function toBytes([chunk, encoding]: readonly unknown[]): Uint8Array | undefined {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk !== "string") return undefined;
  return Buffer.from(chunk, typeof encoding === "string" && Buffer.isEncoding(encoding) ? encoding : "utf8");
}

// What code of steps writes to stdout and stderr of this process, by `console` or by the streams themselves.
//
// Job: finding out which attempt writes, and giving what it writes to the attempt's log and, where that is wanted, to the
// terminal.
// Not its job: the log (`attempt-log.ts` masks and splits), and threads and processes, which have streams of their own. What
// is written to a file descriptor, by `fs.writeSync(1, …)` for example, is not seen here.
//
//   O1. Output belongs to the attempt in whose asynchronous context it is written: also by timers and promises that its
//       function left behind. Everything else goes where it always went.
//   O2. The terminal gets what the mask leaves of it (DATA-9), in the order in which it was written.
//   O3. Loggers, listeners and fault handlers are outside of every step, also if code of a step is on the stack: what they
//       write is not the step's, and a listener that prints a line must not make another line of it.
//   O4. An attempt that ended is let go: what it left behind may live as long as the process.
//   O5. An error that nothing caught belongs to the attempt in whose asynchronous context it was thrown. It fails an attempt
//       that still runs. Of an attempt that has ended, the first such error is added to its log, masked, and no other:
//       a timer may throw for ever.

import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";
import type { Masker } from "../secrets/masker.ts";
import type { MaskStream } from "../secrets/mask-stream.ts";
import type { AttemptName } from "../store/step-logs.ts";

type OutputStream = "stdout" | "stderr";

/** The part of an attempt that takes what it writes. */
interface OutputTaker extends AttemptName {
  writeOutput(stream: OutputStream, chunk: Uint8Array): void;
}

/** Whose error it was that nothing caught. */
export interface UncaughtInStep extends AttemptName {
  /** The attempt still ran, and failed with the error. */
  readonly isFailed: boolean;
  /** What may be shown of a text. */
  readonly mask: (text: string) => string;
}

export interface StepOutputOptions {
  readonly masker: Masker;
  /** Whether what attempts write is kept. */
  readonly hasLogs: boolean;
  /** Whether it is written to the terminal as well. */
  readonly isShown: boolean;
  /** Adds text, which is not masked yet, to the log of an attempt that has ended. */
  readonly addLate: (attempt: AttemptName, text: string) => void;
}

const current = new AsyncLocalStorage<AttemptOutput | undefined>();

/** O3. */
export function outsideOfSteps<Result>(work: () => Result): Result {
  return current.getStore() === undefined ? work() : current.run(undefined, work);
}

/**
 * For listeners of `uncaughtException` and `unhandledRejection`: gives an error that nothing caught to the attempt that it
 * belongs to (O5). Nothing where it belongs to none.
 */
export function giveToStep(error: unknown): UncaughtInStep | undefined {
  const output = current.getStore();
  return output === undefined ? undefined : outsideOfSteps(() => output.uncaught(error));
}

/** The output of the steps of one engine. */
export class StepOutputCapture {
  readonly #options: StepOutputOptions;

  constructor(options: StepOutputOptions) {
    this.#options = options;
  }

  /**
   * Nothing where the terminal is the only place to go and there is nothing to hide: to follow an attempt through its
   * asynchronous work takes almost as long as all the rest of a step in memory (measured: about 1 µs).
   */
  open(attempt: OutputTaker): AttemptOutput | undefined {
    const { masker, hasLogs, isShown } = this.#options;
    if (isShown && !hasLogs && masker.isIdle) return undefined;
    captureStreams();
    return new AttemptOutput(attempt, this.#options);
  }
}

/** The output of one attempt. */
export class AttemptOutput {
  readonly #options: StepOutputOptions;
  readonly #name: AttemptName;
  #attempt: OutputTaker | undefined;
  #masks: Map<OutputStream, MaskStream> | undefined;
  #hasLateError = false;
  /** Fails the attempt; false when it does not run any more. */
  fail: (error: unknown) => boolean = () => false;

  constructor(attempt: OutputTaker, options: StepOutputOptions) {
    const { execution, step, attempt: number } = attempt;
    this.#attempt = attempt;
    this.#name = { execution, step, attempt: number };
    this.#options = options;
  }

  /** Whatever this does, and what follows from it, writes for the attempt. */
  run<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  take(stream: OutputStream, chunk: Uint8Array): void {
    this.#attempt?.writeOutput(stream, chunk);
    if (this.#options.isShown)
      show(stream, this.#attempt === undefined ? this.#maskedLate(chunk) : this.#maskChunk(stream, chunk));
  }

  /** O5. */
  uncaught(error: unknown): UncaughtInStep {
    const isFailed = this.fail(error);
    if (!isFailed && !this.#hasLateError) {
      this.#hasLateError = true;
      this.#options.addLate(this.#name, `Uncaught after the attempt had ended: ${errorText(error)}\n`);
    }
    return { ...this.#name, isFailed, mask: (text) => this.#options.masker.text(text) };
  }

  /** Nothing of it runs any more, as far as anybody knows. */
  end(): void {
    this.#attempt = undefined;
    this.fail = () => false;
    for (const [stream, mask] of this.#masks ?? []) show(stream, mask.end());
    this.#masks = undefined;
  }

  #maskChunk(stream: OutputStream, chunk: Uint8Array): Uint8Array {
    if (this.#masks === undefined && this.#options.masker.isIdle) return chunk;
    this.#masks ??= new Map();
    let mask = this.#masks.get(stream);
    if (mask === undefined) this.#masks.set(stream, (mask = this.#options.masker.stream()));
    return mask.write(chunk);
  }

  /** Nobody would end a mask that holds something back, so each chunk is masked by itself. */
  #maskedLate(chunk: Uint8Array): Uint8Array {
    const mask = this.#options.masker.stream();
    return Buffer.concat([mask.write(chunk), mask.end()]);
  }
}

/** The stack, the causes and the properties; a hostile error may throw when it is read. */
function errorText(error: unknown): string {
  try {
    return inspect(error);
  } catch {
    return "an error that cannot be read";
  }
}

function show(stream: OutputStream, chunk: Uint8Array): void {
  if (chunk.byteLength > 0) outsideOfSteps(() => process[stream].write(chunk));
}

let isCapturing = false;

/** The streams stay what they are for whoever has hold of them; they only ask first whose it is. */
function captureStreams(): void {
  if (isCapturing) return;
  isCapturing = true;
  for (const stream of ["stdout", "stderr"] as const) captureStream(stream);
}

function captureStream(name: OutputStream): void {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...given: readonly unknown[]) => boolean;
  const capturing = (...given: readonly unknown[]): boolean => {
    const output = current.getStore();
    const bytes = output === undefined ? undefined : toBytes(given);
    if (output === undefined || bytes === undefined) return write(...given);
    output.take(name, bytes);
    const done = given.findLast((each) => typeof each === "function");
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  Object.assign(stream, { write: capturing });
}

/** A copy, because whoever writes may use its buffer again. Nothing for what cannot be written: the stream says so itself. */
function toBytes([chunk, encoding]: readonly unknown[]): Uint8Array | undefined {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk !== "string") return undefined;
  return Buffer.from(chunk, typeof encoding === "string" && Buffer.isEncoding(encoding) ? encoding : "utf8");
}

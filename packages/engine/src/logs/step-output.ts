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

import { AsyncLocalStorage } from "node:async_hooks";
import type { Masker } from "../secrets/masker.ts";
import type { MaskedStream } from "./attempt-log.ts";

type OutputStream = "stdout" | "stderr";

/** The part of an attempt that takes what it writes. */
interface OutputTaker {
  wrote(stream: OutputStream, chunk: Uint8Array): void;
}

export interface StepOutputOptions {
  readonly masker: Masker;
  /** Whether what attempts write is kept. */
  readonly hasLogs: boolean;
  /** Whether it is written to the terminal as well. */
  readonly isShown: boolean;
}

const current = new AsyncLocalStorage<AttemptOutput | undefined>();

/** O3. */
export function outsideOfSteps<Result>(work: () => Result): Result {
  return current.getStore() === undefined ? work() : current.run(undefined, work);
}

/** The output of the steps of one engine. */
export class StepOutput {
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
    return new AttemptOutput(attempt, masker, isShown);
  }
}

/** The output of one attempt. */
export class AttemptOutput {
  readonly #masker: Masker;
  readonly #isShown: boolean;
  #attempt: OutputTaker | undefined;
  #masks: Map<OutputStream, MaskedStream> | undefined;

  constructor(attempt: OutputTaker, masker: Masker, isShown: boolean) {
    this.#attempt = attempt;
    this.#masker = masker;
    this.#isShown = isShown;
  }

  /** Whatever this does, and what follows from it, writes for the attempt. */
  run<Result>(work: () => Result): Result {
    return current.run(this, work);
  }

  take(stream: OutputStream, chunk: Uint8Array): void {
    this.#attempt?.wrote(stream, chunk);
    if (this.#isShown)
      show(stream, this.#attempt === undefined ? this.#maskedLate(chunk) : this.#masked(stream, chunk));
  }

  /** Nothing of it runs any more, as far as anybody knows. */
  end(): void {
    this.#attempt = undefined;
    for (const [stream, mask] of this.#masks ?? []) show(stream, mask.end());
    this.#masks = undefined;
  }

  #masked(stream: OutputStream, chunk: Uint8Array): Uint8Array {
    if (this.#masks === undefined && this.#masker.isIdle) return chunk;
    this.#masks ??= new Map();
    let mask = this.#masks.get(stream);
    if (mask === undefined) this.#masks.set(stream, (mask = this.#masker.stream()));
    return mask.write(chunk);
  }

  /** Nobody would end a mask that holds something back, so each chunk is masked by itself. */
  #maskedLate(chunk: Uint8Array): Uint8Array {
    const mask = this.#masker.stream();
    return Buffer.concat([mask.write(chunk), mask.end()]);
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
    const bytes = output === undefined ? undefined : bytesOf(given);
    if (output === undefined || bytes === undefined) return write(...given);
    output.take(name, bytes);
    const done = given.findLast((each) => typeof each === "function");
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  Object.assign(stream, { write: capturing });
}

/** A copy, because whoever writes may use its buffer again. Nothing for what cannot be written: the stream says so itself. */
function bytesOf([chunk, encoding]: readonly unknown[]): Uint8Array | undefined {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk !== "string") return undefined;
  return Buffer.from(chunk, typeof encoding === "string" && Buffer.isEncoding(encoding) ? encoding : "utf8");
}

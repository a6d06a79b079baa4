// The time limit of user callbacks.
//
//   CB1. A late answer is `CALLBACK_TIMEOUT`; its later value or rejection is ignored.
//   CB2. Time is the engine's clock, so a test with its own clock controls the limit.
//   CB3. When the engine closes, all waits end.

import { SegnoError } from "@segno/kernel";

const CALLBACK_TIMEOUT_MS = 10_000;

/** Calls back once, unless the returned function is called first. */
export type LimitTimer = (ms: number, ring: () => void) => () => void;

export class CallbackLimit {
  readonly ms: number;
  /** The engine's clock: it does not fire after `close`. */
  readonly timer: LimitTimer;
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(ms: number = CALLBACK_TIMEOUT_MS, timer: LimitTimer) {
    this.ms = ms;
    this.timer = timer;
  }

  /** `subject` begins the message: "the schema of the input". */
  awaitResult<Answer>(subject: string, result: PromiseLike<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const drop = this.after(this.ms, () => reject(this.#timeoutError(subject)));
      Promise.resolve(result).finally(drop).then(resolve, reject);
    });
  }

  /** Fires after the delay, or when the engine closes. */
  after(ms: number, ring: () => void): () => void {
    if (this.#isClosed) {
      ring();
      return () => undefined;
    }
    const over = (): void => {
      this.#waiting.delete(over);
      ring();
    };
    const drop = this.timer(ms, over);
    this.#waiting.add(over);
    return () => {
      this.#waiting.delete(over);
      drop();
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const over of this.#waiting) over();
  }

  #timeoutError(subject: string): SegnoError {
    if (this.#isClosed) return new SegnoError("ENGINE_CLOSED", `the engine was closed before ${subject} returned`);
    return new SegnoError("CALLBACK_TIMEOUT", `${subject} did not return within ${this.ms / 1000} seconds`);
  }
}

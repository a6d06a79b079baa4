// The time limit of user callbacks.
//
//   CB1. A late answer is `CALLBACK_TIMEOUT`; its later value or rejection is ignored.
//   CB2. Time is the engine's clock, so a test with its own clock controls the limit.
//   CB3. When the engine closes, all waits end.

import { SegnoError } from "@segno/kernel";

const CALLBACK_TIMEOUT_MS = 10_000;

/** Calls back once after the delay, unless the returned function is called first. */
export type StartTimer = (ms: number, onDue: () => void) => () => void;

export class CallbackLimit {
  readonly ms: number;
  /** Starts a timer on the engine's clock. It does not fire after the engine has closed. */
  readonly startTimer: StartTimer;
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(ms: number = CALLBACK_TIMEOUT_MS, startTimer: StartTimer) {
    this.ms = ms;
    this.startTimer = startTimer;
  }

  /** `subject` begins the message: "the schema of the input". */
  awaitResult<Answer>(subject: string, result: PromiseLike<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const cancel = this.after(this.ms, () => reject(this.#timeoutError(subject)));
      Promise.resolve(result).finally(cancel).then(resolve, reject);
    });
  }

  /** Fires after the delay, or when the engine closes. */
  after(ms: number, onDue: () => void): () => void {
    if (this.#isClosed) {
      onDue();
      return () => undefined;
    }
    const fire = (): void => {
      this.#waiting.delete(fire);
      onDue();
    };
    const cancel = this.startTimer(ms, fire);
    this.#waiting.add(fire);
    return () => {
      this.#waiting.delete(fire);
      cancel();
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const fire of this.#waiting) fire();
  }

  #timeoutError(subject: string): SegnoError {
    if (this.#isClosed) return new SegnoError("ENGINE_CLOSED", `the engine was closed before ${subject} returned`);
    return new SegnoError("CALLBACK_TIMEOUT", `${subject} did not return within ${this.ms / 1000} seconds`);
  }
}

// The time that callbacks of the user have for their answers.
//
//   CB1. An answer that does not come in time is `CALLBACK_TIMEOUT`; one that comes later, or is rejected later, counts for
//        nothing and disturbs nobody.
//   CB2. Time is the engine's: a test with a clock of its own decides when it is over.
//   CB3. When the engine closes, nobody waits any more.

import { SegnoError } from "@segno/kernel";

const CALLBACK_TIMEOUT_MS = 10_000;

/** Calls back once, unless what it gives back is called before. */
export type LimitTimer = (ms: number, ring: () => void) => () => void;

export class CallbackLimit {
  readonly ms: number;
  /** The engine's clock itself: after `close` it does not ring. */
  readonly timer: LimitTimer;
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(ms: number = CALLBACK_TIMEOUT_MS, timer: LimitTimer) {
    this.ms = ms;
    this.timer = timer;
  }

  /** `what` begins the message: "the schema of the input". */
  awaitAnswer<Answer>(what: string, answer: PromiseLike<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const drop = this.after(this.ms, () => reject(this.#noAnswer(what)));
      Promise.resolve(answer).finally(drop).then(resolve, reject);
    });
  }

  /** Rings in time, or when the engine closes. */
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

  #noAnswer(what: string): SegnoError {
    if (this.#isClosed) return new SegnoError("ENGINE_CLOSED", `the engine was closed before ${what} gave an answer`);
    return new SegnoError("CALLBACK_TIMEOUT", `${what} gave no answer within ${this.ms / 1000} seconds`);
  }
}

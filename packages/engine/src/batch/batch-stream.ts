// A stream of outcomes: what a batch gives to whoever reads it as it goes.
//
//   R1. Outcomes are given one by one, in the order of the calls. A second loop goes on where the first one was.
//   R2. Whoever stops reading (`break`, `return`, `await using`) ends the batch: what is under way is cancelled, the source is
//       left, and the call comes back when nothing runs any more.

import type { Batch } from "./batch.ts";
import type { BatchOutcome, BatchResult } from "./batch-result.ts";

export class BatchStream<Result, Total = undefined>
  implements AsyncIterableIterator<BatchOutcome<Result>, undefined>, AsyncDisposable
{
  readonly #batch: Batch;
  #last: Promise<unknown> = Promise.resolve();

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  /** What it came to; settles when the stream has ended, which it does only when somebody reads it. */
  get summary(): Promise<BatchResult<Result, Total>> {
    return this.#batch.result as Promise<BatchResult<Result, Total>>;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<BatchOutcome<Result>, undefined>> {
    return this.#inSequence(async () => {
      const outcome = (await this.#batch.next()) as BatchOutcome<Result> | undefined;
      return outcome === undefined ? { done: true, value: undefined } : { done: false, value: outcome };
    });
  }

  /** Not in turn: a call to `next` that still waits is answered by it. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#batch.stop();
    await this.#inSequence(async () => {
      while (!this.#batch.isOver) await this.#batch.next();
    });
    return { done: true, value: undefined };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #inSequence<Value>(work: () => Promise<Value>): Promise<Value> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

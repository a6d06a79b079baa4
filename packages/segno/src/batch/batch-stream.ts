// A stream of outcomes, for a caller that reads a batch while it runs.
//
//   R1. Outcomes are emitted one by one, in the order of the calls. A second loop continues after the first one.
//   R2. A reader that stops (`break`, `return`, `await using`) ends the batch: running chunks are cancelled, the source
//       is closed, and the call returns when nothing runs any more.

import type { Batch } from "./batch.ts";
import type { BatchOutcome, BatchResult } from "./batch-result.ts";

/** The outcomes of a batch, as an asynchronous iterator. Leaving the loop cancels the batch. */
export class BatchStream<Result, Total = undefined>
  implements AsyncIterableIterator<BatchOutcome<Result>, undefined>, AsyncDisposable
{
  readonly #batch: Batch;
  #last: Promise<unknown> = Promise.resolve();

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  /** The result of the batch. It settles when the stream has ended, which requires a reader. */
  get summary(): Promise<BatchResult<Result, Total>> {
    return this.#batch.result as Promise<BatchResult<Result, Total>>;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next outcome. */
  next(): Promise<IteratorResult<BatchOutcome<Result>, undefined>> {
    return this.#inSequence(async () => {
      const outcome = (await this.#batch.next()) as BatchOutcome<Result> | undefined;
      return outcome === undefined ? { done: true, value: undefined } : { done: false, value: outcome };
    });
  }

  /** Not queued behind `next`: it also answers a pending call to `next`. */
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

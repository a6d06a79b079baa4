// A bounded pipeline: starts chunks while there is capacity, and emits outcomes in order or as they finish.
//
// It pulls chunks, keeps the limits, and emits outcomes. It does not know how a chunk runs, nor what its outcome means.
//
//   L1. At most `concurrency` chunks run, and at most `room` chunks run or wait to be read. It pulls nothing beyond
//       that, so the source is never faster than the reader (back-pressure).
//   L2. It pulls one chunk at a time. A chunk that arrives after `stop` is dropped; it was never started.
//   L3. Every started chunk has an outcome, which is emitted once, or an error, which ends the pipeline.
//   L4. After an error no chunk starts. The error is thrown after the outcomes of all running chunks were emitted.
//   L5. In order means by number, however long the first one takes.

import { Fifo } from "@segno/kernel/fifo";
import type { Chunk } from "./chunker.ts";

export interface PipelineOptions<Item, Outcome> {
  readonly concurrency: number;
  readonly bufferSize: number;
  readonly ordered: boolean;
  next(): Promise<Chunk<Item> | undefined>;
  run(chunk: Chunk<Item>): Promise<Outcome>;
}

export class BoundedPipeline<Item, Outcome> {
  readonly #options: PipelineOptions<Item, Outcome>;
  readonly #ready = new Fifo<Outcome>();
  /** Outcomes that wait for earlier ones. */
  readonly #early = new Map<number, Outcome>();
  #nextIndex = 0;
  #inFlight = 0;
  #isPulling = false;
  #isOver = false;
  #fault: { readonly error: unknown } | undefined;
  #change: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(options: PipelineOptions<Item, Outcome>) {
    this.#options = options;
  }

  /** Undefined if there are no more. */
  async next(): Promise<Outcome | undefined> {
    for (;;) {
      const outcome = this.#ready.take();
      this.#pump();
      if (outcome !== undefined) return outcome;
      if (this.#isAtEnd) {
        if (this.#fault !== undefined) throw this.#fault.error;
        return undefined;
      }
      await this.#change.promise;
    }
  }

  /** Starts no more chunks; running ones finish. */
  stop(): void {
    this.#isOver = true;
    this.#notifyChange();
  }

  get #isAtEnd(): boolean {
    return this.#isOver && this.#inFlight === 0 && this.#ready.size === 0;
  }

  get #hasRoom(): boolean {
    const { concurrency, bufferSize } = this.#options;
    if (this.#isOver || this.#inFlight >= concurrency) return false;
    return this.#inFlight + this.#early.size + this.#ready.size < bufferSize;
  }

  #pump(): void {
    if (!this.#isPulling && this.#hasRoom) void this.#pull();
  }

  async #pull(): Promise<void> {
    this.#isPulling = true;
    try {
      while (this.#hasRoom) {
        const chunk = await this.#options.next();
        if (chunk === undefined) return this.stop();
        if (!this.#isOver) void this.#run(chunk);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isPulling = false;
    }
  }

  async #run(chunk: Chunk<Item>): Promise<void> {
    this.#inFlight++;
    try {
      this.#onOutcome(chunk.chunk, await this.#options.run(chunk));
    } catch (error) {
      this.#inFlight--;
      this.#fail(error);
    }
  }

  #onOutcome(chunk: number, outcome: Outcome): void {
    this.#inFlight--;
    if (this.#options.ordered) this.#early.set(chunk, outcome);
    else this.#ready.add(outcome);
    this.#finish();
  }

  /** L4. */
  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#isOver = true;
    this.#finish();
  }

  #finish(): void {
    for (let next = this.#early.get(this.#nextIndex); next !== undefined; next = this.#early.get(this.#nextIndex)) {
      this.#early.delete(this.#nextIndex++);
      this.#ready.add(next);
    }
    // A chunk with an error leaves a gap that later outcomes no longer wait for.
    if (this.#fault !== undefined && this.#inFlight === 0)
      for (const [chunk, outcome] of [...this.#early].toSorted(([a], [b]) => a - b)) {
        this.#early.delete(chunk);
        this.#ready.add(outcome);
      }
    this.#pump();
    this.#notifyChange();
  }

  #notifyChange(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }
}

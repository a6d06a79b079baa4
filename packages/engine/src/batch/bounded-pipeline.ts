// The line: chunks go in as fast as there is room, outcomes come out in order or as they come.
//
// Job: to pull, to keep within the bounds, and to hand out. Not its job: how a chunk is run, and what its outcome means.
//
//   L1. At most `concurrency` chunks are under way, and at most `room` are under way or wait to be taken. Nothing is pulled
//       beyond that, so the source is never faster than whoever takes (back-pressure).
//   L2. One pull at a time. What comes after `stop` is dropped; it was never begun.
//   L3. Every chunk that was begun has an outcome, which is taken once, or it has an error, which ends the line.
//   L4. After an error nothing new begins. It is told when everything that was under way has been taken.
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
  /** Outcomes before whose turn it is. */
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

  /** Nothing when there are no more. */
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

  /** Nothing new begins; what is under way ends as it does. */
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
    // One that had an error leaves a gap, and nobody waits for it any more.
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

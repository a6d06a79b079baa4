// Shared fixtures of batch tests: observable sources, and work that the test ends.

import type { ExecutionId } from "@segno/kernel";
import type { BatchOutcome } from "../../src/batch.ts";
import { MemoryStore } from "@segno/engine/testing";

export function range(count: number, from = 0): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

export function splitIntoChunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size);
  return range(count).map((chunk) => items.slice(chunk * size, (chunk + 1) * size));
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export function collectOutputs<Result>(outcomes: readonly BatchOutcome<Result>[]): readonly Result[] {
  return outcomes.flatMap((outcome) => (outcome.kind === "succeeded" ? [outcome.output] : []));
}

/** A source that counts pulls, and records whether it was closed before its end. */
export class WatchedSource implements AsyncIterableIterator<number> {
  readonly #count: number;
  pulled = 0;
  returns = 0;

  constructor(count: number) {
    this.#count = count;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<number>> {
    return this.pulled < this.#count ? { done: false, value: this.pulled++ } : { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<number>> {
    this.returns++;
    return { done: true, value: undefined };
  }
}

/** A source that yields the items that the test pushes. */
export class PushedSource<Item> implements AsyncIterableIterator<Item> {
  readonly #items: Item[] = [];
  #isEnded = false;
  #error: Error | undefined;
  readonly #asked: PromiseWithResolvers<void> = Promise.withResolvers();
  #wake: () => void = () => undefined;
  returns = 0;

  /** Resolves when an item is requested. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  push(...items: readonly Item[]): void {
    this.#items.push(...items);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  fail(error: Error): void {
    this.#error = error;
    this.#wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Item>> {
    this.#asked.resolve();
    while (this.#items.length === 0 && !this.#isEnded && this.#error === undefined)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#error !== undefined) throw this.#error;
    return this.#items.length > 0
      ? { done: false, value: this.#items.shift()! }
      : { done: true, value: undefined as never };
  }

  async return(): Promise<IteratorResult<Item>> {
    this.returns++;
    this.end();
    return { done: true, value: undefined as never };
  }
}

/** A store that delays its answer to a load. */
export class SlowStore extends MemoryStore {
  readonly #wait: (id: ExecutionId) => Promise<void>;

  constructor(wait: (id: ExecutionId) => Promise<void>) {
    super();
    this.#wait = wait;
  }

  override async load(id: ExecutionId): ReturnType<MemoryStore["load"]> {
    await this.#wait(id);
    return super.load(id);
  }
}

/** Work that waits at a gate, with its maximum concurrency. */
export class Gate {
  readonly #waiting = new Map<number, () => void>();
  running = 0;
  most = 0;

  async pass(key: number): Promise<void> {
    this.most = Math.max(this.most, ++this.running);
    await new Promise<void>((resolve) => this.#waiting.set(key, resolve));
    this.running--;
  }

  get waiting(): readonly number[] {
    return [...this.#waiting.keys()];
  }

  open(...keys: readonly number[]): void {
    for (const key of keys) {
      this.#waiting.get(key)?.();
      this.#waiting.delete(key);
    }
  }
}

type Numbers = readonly number[];
type Hanging = (items: Numbers, context: { readonly chunk: number }) => Promise<Numbers>;

/** Work that records its input, and hangs from some chunk on, until the process dies. */
export function hangingFrom(chunk: number, seen: Numbers[]): Hanging {
  return async (items, context) => {
    if (context.chunk >= chunk) await new Promise(() => undefined);
    seen.push(items);
    return items;
  };
}

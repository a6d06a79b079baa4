// The source of items: a list, an iterable or an async iterable behind one pull interface.
//
//   S1. One pull at a time, and only on demand.
//   S2. Errors of the source are distinguishable from all other errors.
//   S3. A source that is left before its end is closed once (`return`). The close does not wait for a pending pull.

import { SegnoError } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { describeKind } from "@segno/kernel/describe-value";

export type Pull<Item> = { readonly kind: "item"; readonly item: Item } | { readonly kind: "end" };

const END = Object.freeze({ kind: "end" } as const);

export class ItemSource<Item> {
  /** Present if it is known in advance. */
  readonly length: number | undefined;
  readonly #items: Iterable<Item> | AsyncIterable<Item>;
  #iterator: Iterator<Item> | AsyncIterator<Item> | undefined;
  #isPulling = false;
  #isOver = false;
  #pulled = 0;

  constructor(items: unknown) {
    this.#items = checkedItems<Item>(items);
    this.length = Array.isArray(items) ? items.length : undefined;
  }

  pull(): Pull<Item> | Promise<Pull<Item>> {
    if (this.#isOver) return END;
    try {
      this.#iterator ??= openIterator(this.#items);
      const step = this.#iterator.next();
      return isPromise(step) ? this.#awaitStep(step) : this.#toPull(step);
    } catch (error) {
      throw this.#toSourceError(error);
    }
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const closing = (async () => void (await this.#iterator?.return?.()))();
    if (!this.#isPulling) await closing.catch((error: unknown) => Promise.reject(this.#toSourceError(error)));
    else closing.catch(() => undefined);
  }

  async #awaitStep(step: PromiseLike<IteratorResult<Item>>): Promise<Pull<Item>> {
    this.#isPulling = true;
    try {
      return this.#toPull(await step);
    } catch (error) {
      throw this.#toSourceError(error);
    } finally {
      this.#isPulling = false;
    }
  }

  #toPull(step: IteratorResult<Item>): Pull<Item> {
    if (typeof step !== "object" || step === null) throw new TypeError("`next()` did not return an object");
    if (step.done === true) {
      this.#isOver = true;
      return END;
    }
    this.#pulled++;
    return { kind: "item", item: step.value };
  }

  #toSourceError(cause: unknown): SegnoError {
    this.#isOver = true;
    if (cause instanceof SegnoError && cause.code === "BATCH_SOURCE_FAILED") return cause;
    const message = `the source failed after ${this.#pulled} items: ${thrownMessage(cause)}`;
    return new SegnoError("BATCH_SOURCE_FAILED", message, { cause });
  }
}

function checkedItems<Item>(items: unknown): Iterable<Item> | AsyncIterable<Item> {
  // A string is an iterable of characters, which is hardly ever intended.
  if (typeof items === "object" && items !== null && (Symbol.asyncIterator in items || Symbol.iterator in items))
    return items as Iterable<Item> | AsyncIterable<Item>;
  throw new SegnoError(
    "OPTION_INVALID",
    `items are a list, an iterable or an async iterable, not ${describeKind(items)}`,
  );
}

function openIterator<Item>(items: Iterable<Item> | AsyncIterable<Item>): Iterator<Item> | AsyncIterator<Item> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}

function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as { then?: unknown } | null)?.then === "function";
}

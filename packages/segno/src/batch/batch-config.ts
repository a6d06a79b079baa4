// The configuration of a batch: its items, how they are split into chunks, and how each chunk is processed.
//
// A chunk is the unit of processing: a number of items, a window, or one item of a stream. It is one execution of the
// engine.

import type { Engine, Skip, StepContext, StepOptions } from "@segno/engine";

/** The source of the items of a batch. It is read as far as the batch needs. */
export type BatchItems<Item> = Iterable<Item> | AsyncIterable<Item>;

/** Milliseconds, or text such as `500ms`, `30s`, `5m` (CONTRACT-7). */
export type BatchDuration = number | string;

/** The context of one attempt at a chunk. */
export interface BatchContext {
  /** The id of the batch. */
  readonly batchId: string;
  /** The number of the chunk, from 0. */
  readonly chunk: number;
  /** The number of its first item in the batch, from 0. */
  readonly index: number;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Aborts when the attempt should stop. */
  readonly signal: AbortSignal;
  /** The rest of a step's context: `token`, `log`, `heartbeat()`. */
  readonly step: StepContext;
}

/** Processes a chunk and returns its result. It may return `skip(reason)` if there is nothing to do. */
export type Process<Given, Result> = (given: Given, context: BatchContext) => Result | Skip | Promise<Result | Skip>;

/** The type of a result as the journal stores it. */
export type BatchOutput<Result> = Result extends Skip ? never : Result extends undefined | void ? null : Result;

/**
 * Reduces all results to one value; the results are then not kept. It is called in the order in which outcomes are
 * emitted.
 */
export interface Aggregate<Result, Total> {
  readonly initial: Total;
  reduce(total: Total, result: Result, at: ChunkPosition): Total | Promise<Total>;
}

/** The items of an outcome: `count` items from `index` on. */
export interface ChunkPosition {
  readonly chunk: number;
  readonly index: number;
  readonly count: number;
}

/** Options of every batch. */
export interface BatchOptions<Result, Total> {
  /** The engine that runs the chunks; it stays open. Items must then be JSON. */
  readonly engine?: Engine;
  /**
   * The path of a journal for this batch: an engine is opened on it, and closed at the end. Items must then be JSON.
   */
  readonly file?: string;
  /**
   * The id of the batch in the journal. Executing the same id again continues the batch; its source must yield the same
   * items in the same order.
   */
  readonly id?: string;
  /** The maximum number of concurrent chunks. The default is 1. */
  readonly concurrency?: number;
  /** The retry policy of a chunk, as for any step: the total number of attempts, or a policy (FAIL-3). */
  readonly retry?: StepOptions["retry"];
  /** The time limit of one attempt at a chunk. */
  readonly timeout?: BatchDuration;
  /** The time limit of the whole batch, from this call on. */
  readonly totalTimeout?: BatchDuration;
  /** How long an attempt that is told to stop may clean up. */
  readonly grace?: BatchDuration;
  /** The number of items that may fail, or their share (`"10%"`). The default is none. */
  readonly tolerance?: number | string;
  /** Whether chunks that failed in an earlier execution of the batch are retried. The default is false. */
  readonly retryFailed?: boolean;
  /** Cancels the batch when it aborts. */
  readonly signal?: AbortSignal;
  /** Reduces all results to one value, `total`. */
  readonly aggregate?: Aggregate<BatchOutput<Result>, Total>;
}

/** Chunks of a fixed number of items. */
export interface ChunkedConfig<Item, Result, Total = undefined> extends BatchOptions<Result, Total> {
  /** Selects chunks of a fixed number of items. */
  readonly mode: "chunked";
  /** The number of items in a chunk. */
  readonly size: number;
  /** Processes the items of one chunk. */
  readonly process: Process<readonly Item[], Result>;
}

/** A chunk ends after a number of items, or a time after its first item, whichever comes first. */
export interface WindowedConfig<Item, Result, Total = undefined> extends BatchOptions<Result, Total> {
  /** Selects windows, which a number of items or a time closes. */
  readonly mode: "windowed";
  /** Closes a window after this number of items. */
  readonly count?: number;
  /** Closes a window after this time. */
  readonly time?: BatchDuration;
  /** Processes the items of one window. */
  readonly process: Process<readonly Item[], Result>;
}

/** Options of a batch whose outcomes are a stream. */
export interface StreamOptions<Result, Total> extends BatchOptions<Result, Total> {
  /** Selects a stream of outcomes. */
  readonly mode: "streaming";
  /** Whether outcomes are emitted in the order of items, which is the default, or as soon as they are available. */
  readonly ordered?: boolean;
  /**
   * The number of finished chunks that may wait for the reader, in addition to running ones. The default is
   * `concurrency`.
   */
  readonly buffer?: number;
}

/** One item per chunk. */
export interface StreamingConfig<Item, Result, Total = undefined> extends StreamOptions<Result, Total> {
  /** Must be absent; with it, items are processed in lists. */
  readonly size?: undefined;
  /** Must be absent; with it, items are processed in lists. */
  readonly time?: undefined;
  /** Processes one item. */
  readonly process: Process<Item, Result>;
}

/** Chunks or windows, whose outcomes are a stream. */
export interface StreamedListsConfig<Item, Result, Total = undefined> extends StreamOptions<Result, Total> {
  /** The number of items in a chunk. */
  readonly size: number;
  /** Closes a window after this time, even if it has fewer items. */
  readonly time?: BatchDuration;
  /** Processes the items of one chunk. */
  readonly process: Process<readonly Item[], Result>;
}

/** How a batch groups its items, what it does with them, and its options. */
export type BatchConfig<Item, Result, Total = undefined> =
  | ChunkedConfig<Item, Result, Total>
  | WindowedConfig<Item, Result, Total>
  | StreamingConfig<Item, Result, Total>
  | StreamedListsConfig<Item, Result, Total>;

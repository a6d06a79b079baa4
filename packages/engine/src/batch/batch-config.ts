// What a batch is made of: its items, how they are cut into chunks, and what is done with each chunk.
//
// A chunk is what is processed in one go: so many items, a window, or one item of a stream. It is one execution of the engine.

import type { Engine } from "../api/engine.ts";
import type { StepOptions } from "../builder/step-options.ts";
import type { Skip } from "../agents/skip.ts";
import type { StepContext } from "../agents/step-context.ts";

export type BatchItems<Item> = Iterable<Item> | AsyncIterable<Item>;

/** Milliseconds, or text such as `500ms`, `30s`, `5m` (CONTRACT-7). */
export type BatchDuration = number | string;

export interface BatchContext {
  readonly batchId: string;
  /** The number of the chunk; the first is 0. */
  readonly chunk: number;
  /** The number of its first item among all items of the batch. */
  readonly index: number;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Everything else that a step has: `token`, `logger`, `heartbeat()`. */
  readonly step: StepContext;
}

/** What a chunk gives; `skip(reason)` says that there was nothing to do. */
export type Process<Given, Result> = (given: Given, context: BatchContext) => Result | Skip | Promise<Result | Skip>;

/** What is left of a result in the journal. */
export type BatchOutput<Result> = Result extends Skip ? never : Result extends undefined | void ? null : Result;

/** Makes one value of all results, which are not kept then. Called in the order in which outcomes are given out. */
export interface Aggregate<Result, Total> {
  readonly initial: Total;
  reduce(total: Total, result: Result, at: ChunkPosition): Total | Promise<Total>;
}

/** Which items an outcome is about: so many, from `index` on. */
export interface ChunkPosition {
  readonly chunk: number;
  readonly index: number;
  readonly count: number;
}

export interface BatchOptions<Result, Total> {
  /** The engine that runs the chunks; it stays open. Items are JSON then. */
  readonly engine?: Engine;
  /** A journal of its own for this batch: an engine is opened on it, and closed at the end. Items are JSON then. */
  readonly file?: string;
  /**
   * What the batch is known by in the journal. Executed again under the same id, it goes on where it was; its source must
   * give the same items in the same order.
   */
  readonly id?: string;
  /** So many chunks at once; 1 when it is absent. */
  readonly concurrency?: number;
  /** Of a chunk, as of any step: attempts in all, or a policy (FAIL-3). */
  readonly retry?: StepOptions["retry"];
  /** Bounds one attempt at a chunk. */
  readonly timeout?: BatchDuration;
  /** Bounds the whole batch, from this call on. */
  readonly totalTimeout?: BatchDuration;
  /** How long an attempt that is told to stop may clean up. */
  readonly grace?: BatchDuration;
  /** So many items, or such a share of them (`"10%"`), may fail; none when it is absent. */
  readonly tolerance?: number | string;
  /** Whether chunks that failed when the batch was executed before are tried again; they are not when it is absent. */
  readonly retryFailed?: boolean;
  readonly signal?: AbortSignal;
  readonly aggregate?: Aggregate<BatchOutput<Result>, Total>;
}

/** So many items a chunk. */
export interface ChunkedConfig<Item, Result, Total = undefined> extends BatchOptions<Result, Total> {
  readonly mode: "chunked";
  readonly size: number;
  readonly process: Process<readonly Item[], Result>;
}

/** A chunk ends with so many items, or so long after its first one, whichever comes first. */
export interface WindowedConfig<Item, Result, Total = undefined> extends BatchOptions<Result, Total> {
  readonly mode: "windowed";
  readonly count?: number;
  readonly time?: BatchDuration;
  readonly process: Process<readonly Item[], Result>;
}

export interface StreamOptions<Result, Total> extends BatchOptions<Result, Total> {
  readonly mode: "streaming";
  /** Whether outcomes come in the order of items, which is so when it is absent, or as soon as they are there. */
  readonly ordered?: boolean;
  /** So many chunks may wait for whoever reads, beside those under way; as many as `concurrency` when it is absent. */
  readonly buffer?: number;
}

/** Item by item. */
export interface StreamingConfig<Item, Result, Total = undefined> extends StreamOptions<Result, Total> {
  readonly size?: undefined;
  readonly time?: undefined;
  readonly process: Process<Item, Result>;
}

/** By chunks or windows, with their outcomes as a stream. */
export interface StreamedListsConfig<Item, Result, Total = undefined> extends StreamOptions<Result, Total> {
  readonly size: number;
  readonly time?: BatchDuration;
  readonly process: Process<readonly Item[], Result>;
}

export type BatchConfig<Item, Result, Total = undefined> =
  | ChunkedConfig<Item, Result, Total>
  | WindowedConfig<Item, Result, Total>
  | StreamingConfig<Item, Result, Total>
  | StreamedListsConfig<Item, Result, Total>;

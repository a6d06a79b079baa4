// What a batch comes to, chunk by chunk and as a whole.

import { SegnoError, type Failure } from "@segno/kernel";
import type { ChunkPosition } from "./batch-config.ts";

/** What became of a chunk. */
export type BatchOutcome<Result> = ChunkPosition &
  (
    | { readonly kind: "succeeded"; readonly output: Result }
    | { readonly kind: "skipped"; readonly reason: string }
    | { readonly kind: "failed"; readonly failure: Failure; readonly executionId: string }
    | { readonly kind: "cancelled" }
  );

/** A chunk that failed: all items from `index` on, `count` of them, count as failed. */
export interface ChunkFailure extends ChunkPosition {
  readonly failure: Failure;
  readonly executionId: string;
}

/**
 * How it ended: `completed` when every item was seen to, failures within the tolerance included; `failed` when there were
 * more, or the time was over; `cancelled` by its signal; `stopped` when whoever read its stream read no more.
 */
export type BatchStatus = "completed" | "failed" | "cancelled" | "stopped";

export interface BatchResult<Result, Total = undefined> {
  readonly id: string;
  readonly status: BatchStatus;
  /** Why it failed. */
  readonly failure?: Failure;
  readonly chunks: number;
  /** Counts of items. `items` are all that were taken from the source; each is in one of the other four. */
  readonly items: number;
  readonly processed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cancelled: number;
  /** What the chunks that succeeded gave, in item order; nothing with `aggregate`, and nothing of a stream. */
  readonly results: readonly Result[];
  /** What `aggregate` made. */
  readonly total: Total;
  /** The first 1,000 chunks that failed, in item order; in a stream in the order in which they were given out. */
  readonly errors: readonly ChunkFailure[];
}

/** What keeps a batch from going on, and how far it had come. */
export class BatchError extends SegnoError {
  override readonly name: string = "BatchError";
  readonly result: BatchResult<unknown, unknown>;

  constructor(code: string, message: string, result: BatchResult<unknown, unknown>, cause: unknown) {
    super(code, message, { cause });
    this.result = result;
  }
}

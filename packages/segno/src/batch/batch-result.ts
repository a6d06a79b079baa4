// The result of a batch, per chunk and as a whole.

import { SegnoError, type Failure } from "@segno/kernel";
import type { ChunkPosition } from "./batch-config.ts";

/** The outcome of a chunk. */
export type BatchOutcome<Result> = ChunkPosition &
  (
    | { readonly kind: "succeeded"; readonly output: Result }
    | { readonly kind: "skipped"; readonly reason: string }
    | { readonly kind: "failed"; readonly failure: Failure; readonly executionId: string }
    | { readonly kind: "cancelled" }
  );

/** A failed chunk: all its items count as failed. */
export interface ChunkFailure extends ChunkPosition {
  readonly failure: Failure;
  readonly executionId: string;
}

/**
 * `completed`: every item was processed, with failures within the tolerance. `failed`: too many items failed, or the
 * time was over. `cancelled`: by its signal. `stopped`: the reader of its stream stopped reading.
 */
export type BatchStatus = "completed" | "failed" | "cancelled" | "stopped";

/** The result of a batch. */
export interface BatchResult<Result, Total = undefined> {
  readonly id: string;
  readonly status: BatchStatus;
  /** The failure of the batch. */
  readonly failure?: Failure;
  readonly chunks: number;
  /** Counts of items. `items` counts all that were pulled from the source; each is in one of the other four. */
  readonly items: number;
  readonly processed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly cancelled: number;
  /** The results of the successful chunks, in item order; empty with `aggregate` and for a stream. */
  readonly results: readonly Result[];
  /** The result of `aggregate`. */
  readonly total: Total;
  /** The first 1,000 failed chunks, in item order; for a stream in the order in which they were emitted. */
  readonly errors: readonly ChunkFailure[];
}

/** An error that stops a batch, with its progress so far. */
export class BatchError extends SegnoError {
  override readonly name: string = "BatchError";
  /** The progress of the batch when it stopped. */
  readonly result: BatchResult<unknown, unknown>;

  constructor(code: string, message: string, result: BatchResult<unknown, unknown>, cause: unknown) {
    super(code, message, { cause });
    this.result = result;
  }
}

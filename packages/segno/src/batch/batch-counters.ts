// Batch counters: add up the outcomes of chunks, and decide whether too many items failed.
//
//   T1. The counters count items. A failed chunk counts with all its items.
//   T2. Memory does not grow with the batch: results are not kept with `aggregate` or for a stream, and only the first
//       1,000 errors are kept.
//   T3. A share of a list is a share of its length. If the length is unknown, it is a share of the ended items,
//       evaluated from the hundredth item on, and at the end.

import { SegnoError, type Failure } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import type { Aggregate } from "./batch-config.ts";
import type { BatchOutcome, BatchResult, BatchStatus, ChunkFailure } from "./batch-result.ts";

const ERRORS_MAX = 1000;
const RATE_CHECKED_FROM = 100;

export type FailureTolerance =
  | { readonly kind: "count"; readonly count: number }
  | { readonly kind: "share"; readonly share: number };

export function toTolerance(given: unknown): FailureTolerance {
  if (typeof given === "number" && Number.isInteger(given) && given >= 0) return { kind: "count", count: given };
  const [, percent] = typeof given === "string" ? (/^(\d{1,3}(?:\.\d{1,9})?)%$/u.exec(given) ?? []) : [];
  if (percent !== undefined && Number(percent) <= 100) return { kind: "share", share: Number(percent) / 100 };
  throw new SegnoError(
    "OPTION_INVALID",
    `\`tolerance\` is a whole number, or a percentage such as "10%", not ${describeValue(given)}`,
  );
}

export interface BatchCountersOptions {
  readonly tolerance: FailureTolerance;
  /** The number of items, if it is known. */
  readonly length: number | undefined;
  readonly aggregate: Aggregate<never, unknown> | undefined;
  readonly keepsResults: boolean;
}

export class BatchCounters {
  readonly #options: BatchCountersOptions;
  readonly #counts = { succeeded: 0, failed: 0, skipped: 0, cancelled: 0 };
  readonly #results: unknown[] = [];
  readonly #errors: ChunkFailure[] = [];
  #chunks = 0;
  #total: unknown;

  constructor(options: BatchCountersOptions) {
    this.#options = options;
    this.#total = options.aggregate?.initial;
  }

  count(outcome: BatchOutcome<unknown>): void {
    this.#chunks++;
    this.#counts[outcome.kind] += outcome.count;
    if (outcome.kind !== "failed" || this.#errors.length >= ERRORS_MAX) return;
    const { chunk, index, count, failure, executionId } = outcome;
    this.#errors.push({ chunk, index, count, failure, executionId });
  }

  /** Keeps the result of a chunk, or aggregates it. */
  async gather(outcome: BatchOutcome<unknown>): Promise<void> {
    if (outcome.kind !== "succeeded") return;
    const { chunk, index, count, output } = outcome;
    const { aggregate, keepsResults } = this.#options;
    if (aggregate === undefined) {
      if (keepsResults) this.#results.push(output);
      return;
    }
    try {
      this.#total = await aggregate.reduce(this.#total, output as never, { chunk, index, count });
    } catch (cause) {
      throw new SegnoError("BATCH_AGGREGATE_FAILED", `\`aggregate\` failed at the chunk ${chunk}`, { cause });
    }
  }

  /** The failure of the batch, if it has failed; `atEnd` means that no more outcomes come. */
  failure(atEnd: boolean): Failure | undefined {
    if (!this.#isBeyond(atEnd)) return undefined;
    const { failed } = this.#counts;
    const { tolerance } = this.#options;
    const allowed = tolerance.kind === "count" ? tolerance.count : `${Number((tolerance.share * 100).toFixed(9))}%`;
    const message = `${failed} of ${this.#items} items failed; ${allowed} are allowed to fail`;
    const [cause] = this.#errors;
    return {
      class: "permanent",
      code: "BATCH_TOLERANCE",
      message,
      ...(cause === undefined ? {} : { cause: cause.failure }),
    };
  }

  result(id: string, status: BatchStatus, failure: Failure | undefined): BatchResult<unknown, unknown> {
    const { succeeded, failed, skipped, cancelled } = this.#counts;
    return {
      id,
      status,
      ...(failure === undefined ? {} : { failure }),
      chunks: this.#chunks,
      items: this.#items,
      processed: succeeded,
      failed,
      skipped,
      cancelled,
      results: this.#results,
      total: this.#total,
      errors: this.#errors,
    };
  }

  get #items(): number {
    const { succeeded, failed, skipped, cancelled } = this.#counts;
    return succeeded + failed + skipped + cancelled;
  }

  #isBeyond(atEnd: boolean): boolean {
    const { tolerance, length } = this.#options;
    const { failed } = this.#counts;
    if (tolerance.kind === "count") return failed > tolerance.count;
    if (length === undefined && !atEnd && this.#items < RATE_CHECKED_FROM) return false;
    // Tolerates the floating-point error of a share of a large number.
    return failed > tolerance.share * (length ?? this.#items) + 1e-9;
  }
}

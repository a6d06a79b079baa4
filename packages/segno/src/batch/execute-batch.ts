// `executeBatch`: processes items in chunks, windows or one by one, and returns aggregated results or a stream of
// outcomes (BEYOND-1).

import { Batch } from "./batch.ts";
import type {
  BatchItems,
  BatchOutput,
  ChunkedConfig,
  StreamedListsConfig,
  StreamingConfig,
  WindowedConfig,
} from "./batch-config.ts";
import { batchPlan } from "./batch-plan.ts";
import type { BatchResult } from "./batch-result.ts";
import { BatchStream } from "./batch-stream.ts";

/**
 * Processes many items by chunks, windows or one by one, in memory or in a journal that survives crashes. The `mode` of
 * the configuration selects the kind of batch and the kind of result.
 *
 * @example
 * ```ts
 * import { executeBatch } from "segno/batch";
 *
 * const { processed, total } = await executeBatch(["one", "two", "three"], {
 *   mode: "chunked",
 *   size: 2,
 *   concurrency: 2,
 *   process: (words) => words.join("").length,
 *   aggregate: { initial: 0, reduce: (sum, letters) => sum + letters },
 * });
 * console.log(processed, "words,", total, "letters"); // 3 words, 11 letters
 * ```
 */
export function executeBatch<Item, Result, Total = undefined>(
  items: BatchItems<Item>,
  config: ChunkedConfig<Item, Result, Total>,
): Promise<BatchResult<BatchOutput<Result>, Total>>;
export function executeBatch<Item, Result, Total = undefined>(
  items: BatchItems<Item>,
  config: WindowedConfig<Item, Result, Total>,
): Promise<BatchResult<BatchOutput<Result>, Total>>;
export function executeBatch<Item, Result, Total = undefined>(
  items: BatchItems<Item>,
  config: StreamingConfig<Item, Result, Total>,
): BatchStream<BatchOutput<Result>, Total>;
export function executeBatch<Item, Result, Total = undefined>(
  items: BatchItems<Item>,
  config: StreamedListsConfig<Item, Result, Total>,
): BatchStream<BatchOutput<Result>, Total>;
export function executeBatch(items: unknown, config: unknown): unknown {
  const { mode } = (config ?? {}) as { readonly mode?: unknown };
  if (mode === "streaming") return new BatchStream(new Batch(items, batchPlan(config), false));
  return gatherResults(items, config);
}

async function gatherResults(items: unknown, config: unknown): Promise<BatchResult<unknown, unknown>> {
  const batch = new Batch(items, batchPlan(config), true);
  while (!batch.isOver) await batch.next();
  return batch.result;
}

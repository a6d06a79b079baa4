// segno/batch: batch pipelines; items by chunks, windows or one by one, in memory or in a journal.

import "@segno/contract/node-version";

export type {
  Aggregate,
  BatchConfig,
  BatchContext,
  BatchDuration,
  BatchItems,
  BatchOptions,
  BatchOutput,
  ChunkedConfig,
  ChunkPosition,
  Process,
  StreamedListsConfig,
  StreamingConfig,
  StreamOptions,
  WindowedConfig,
} from "./batch/batch-config.ts";
export {
  BatchError,
  type BatchOutcome,
  type BatchResult,
  type BatchStatus,
  type ChunkFailure,
} from "./batch/batch-result.ts";
export type { BatchStream } from "./batch/batch-stream.ts";
export { executeBatch } from "./batch/execute-batch.ts";

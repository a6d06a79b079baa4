// @segno/engine/batch: batch pipelines.

import "@segno/contract/node-version";

export type {
  Aggregate,
  BatchConfig,
  BatchContext,
  BatchDuration,
  BatchItems,
  BatchOutput,
  ChunkedConfig,
  ChunkPosition,
  Process,
  StreamedListsConfig,
  StreamingConfig,
  WindowedConfig,
  BatchOptions,
  StreamOptions,
} from "./batch-config.ts";
export { BatchError } from "./batch-result.ts";
export type { BatchOutcome, BatchResult, BatchStatus, ChunkFailure } from "./batch-result.ts";
export type { BatchStream } from "./batch-stream.ts";
export { executeBatch } from "./execute-batch.ts";

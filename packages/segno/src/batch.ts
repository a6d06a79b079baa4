// segno/batch: batch pipelines; items by chunks, windows or one by one, in memory or in a journal.

import "@segno/contract/node-version";

export {
  BatchError,
  executeBatch,
  type Aggregate,
  type BatchConfig,
  type BatchContext,
  type BatchDuration,
  type BatchItems,
  type BatchOptions,
  type BatchOutcome,
  type BatchOutput,
  type BatchResult,
  type BatchStatus,
  type BatchStream,
  type ChunkedConfig,
  type ChunkFailure,
  type ChunkPosition,
  type Process,
  type StreamedListsConfig,
  type StreamingConfig,
  type StreamOptions,
  type WindowedConfig,
} from "@segno/engine/batch";

// Durations and sizes of commits.

import { engineMetrics } from "./engine-metrics.ts";
import { HistogramFold } from "./histogram.ts";
import type { Metric } from "./metric.ts";

const DURATION_SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5] as const;
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 512] as const;

export class CommitMetrics {
  readonly #durations = new HistogramFold(DURATION_SECONDS);
  readonly #sizes = new HistogramFold(BATCH_SIZES);

  /** A commit has ended, durable or not. */
  onCommitted(turns: number, durationMs: number): void {
    this.#durations.add(durationMs / 1000);
    this.#sizes.add(turns);
  }

  collect(): readonly Metric[] {
    return [
      engineMetrics.histogram("segno_commit_duration_seconds", this.#durations.snapshot()),
      engineMetrics.histogram("segno_commit_batch_size", this.#sizes.snapshot()),
    ];
  }
}

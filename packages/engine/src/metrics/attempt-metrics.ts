// Counts of the attempts that this process ran.

import { engineMetrics } from "./engine-metrics.ts";
import { HistogramFold } from "./histogram.ts";
import type { Metric } from "./metric.ts";

/** How an attempt ended. `lost`: it was stopped by force, or given up. */
export type CountedOutcome = "succeeded" | "skipped" | "expanded" | "failed" | "timeout" | "cancelled" | "lost";

const DURATION_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600] as const;

export class AttemptMetrics {
  readonly #counts: Record<CountedOutcome, number> = {
    succeeded: 0,
    skipped: 0,
    expanded: 0,
    failed: 0,
    timeout: 0,
    cancelled: 0,
    lost: 0,
  };
  readonly #durations = new HistogramFold(DURATION_SECONDS);

  /** `durationMs` is undefined for a lost attempt. The wall clock may have been set back meanwhile. */
  onEnded(end: CountedOutcome, durationMs: number | undefined): void {
    this.#counts[end]++;
    if (durationMs !== undefined) this.#durations.add(Math.max(0, durationMs) / 1000);
  }

  collect(): readonly Metric[] {
    return [
      engineMetrics.scalars(
        "segno_attempts_total",
        Object.entries(this.#counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
      ),
      engineMetrics.histogram("segno_attempt_duration_seconds", this.#durations.snapshot()),
    ];
  }
}

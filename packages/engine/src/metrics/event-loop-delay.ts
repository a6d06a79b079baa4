// The delay of the event loop: how much later than planned a timer of Node fires.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { engineMetrics } from "./engine-metrics.ts";
import type { Metric } from "./metric.ts";

const RESOLUTION_MS = 10;
const NANOSECONDS = 1e9;
const QUANTILES = [0.5, 0.99, 1] as const;

/** It measures from the first reading on, so that an engine whose metrics nobody reads has no timer for it. */
export class EventLoopDelay {
  #histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;
  #isClosed = false;

  collect(): readonly Metric[] {
    const points = QUANTILES.map((quantile) => ({
      labels: { quantile: String(quantile) },
      value: this.#read(quantile),
    }));
    this.#restart();
    return [engineMetrics.scalars("segno_event_loop_delay_seconds", points)];
  }

  close(): void {
    this.#isClosed = true;
    this.#histogram?.disable();
  }

  /** The histogram of Node includes the resolution of its timer, which is not a delay. */
  #read(quantile: number): number {
    const histogram = this.#histogram;
    if (histogram === undefined || histogram.count === 0) return 0;
    return Math.max(0, histogram.percentile(quantile * 100) / NANOSECONDS - RESOLUTION_MS / 1000);
  }

  #restart(): void {
    if (this.#isClosed) return;
    if (this.#histogram !== undefined) return this.#histogram.reset();
    this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#histogram.enable();
  }
}

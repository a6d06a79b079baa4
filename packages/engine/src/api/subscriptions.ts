// Live output of an engine: events of executions, log lines, streams and progress of steps, and its counters.

import { toExecutionId } from "../checks/names.ts";
import type { Bus, WatchFilter, WatchHandler } from "../events/bus.ts";
import { checkWatch } from "../events/watch-check.ts";
import type { LogListener, LogWriter, StreamListener } from "../logs/log-writer.ts";
import type { ProgressListener, ProgressWriter } from "../logs/progress-writer.ts";
import type { EngineSinks } from "../sinks/engine-sinks.ts";
import type { SinkMetrics } from "../sinks/sink-metrics.ts";
import type { MetricsSnapshot } from "../metrics/metric.ts";
import type { MetricsRegistry } from "../metrics/metrics-registry.ts";

/** The counters of an engine: of its sinks, and all metrics. */
export interface EngineCounters {
  readonly sinks: Pick<EngineSinks, "metrics">;
  readonly metrics: MetricsRegistry;
}

export class Subscriptions {
  readonly #bus: Bus;
  readonly #logs: LogWriter;
  readonly #progress: ProgressWriter;
  readonly #counters: EngineCounters;

  constructor(bus: Bus, logs: LogWriter, progress: ProgressWriter, counters: EngineCounters) {
    this.#bus = bus;
    this.#logs = logs;
    this.#progress = progress;
    this.#counters = counters;
  }

  get sinks(): readonly SinkMetrics[] {
    return this.#counters.sinks.metrics;
  }

  metrics(): MetricsSnapshot {
    return this.#counters.metrics.snapshot();
  }

  onEvents(filter: WatchFilter, handler: WatchHandler): () => void {
    checkWatch(filter, handler);
    return this.#bus.subscribe(filter, handler);
  }

  onLog({ executionId }: { readonly executionId?: string }, handler: LogListener): () => void {
    return this.#logs.subscribe(executionId === undefined ? {} : { execution: toExecutionId(executionId) }, handler);
  }

  onStream({ executionId }: { readonly executionId?: string }, handler: StreamListener): () => void {
    const filter = executionId === undefined ? {} : { execution: toExecutionId(executionId) };
    return this.#logs.subscribeStreams(filter, handler);
  }

  onProgress({ executionId }: { readonly executionId?: string }, handler: ProgressListener): () => void {
    const filter = executionId === undefined ? {} : { execution: toExecutionId(executionId) };
    return this.#progress.subscribe(filter, handler);
  }
}

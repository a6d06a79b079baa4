// The sources of an engine's metrics. Each source is a function that returns its metrics with their values now.

import type { Metric, MetricsSnapshot } from "./metric.ts";

type MetricsSource = () => readonly Metric[];

export class MetricsRegistry {
  readonly #report: (error: unknown) => void;
  readonly #sources = new Set<MetricsSource>();

  /** `report` gets the errors of sources: a source that throws does not hide the metrics of the others. */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Returns a function that removes the source. */
  add(source: MetricsSource): () => void {
    this.#sources.add(source);
    return () => void this.#sources.delete(source);
  }

  /** The metrics of all sources, in the order of their first appearance. Points of one name are put together. */
  snapshot(): MetricsSnapshot {
    const metrics = new Map<string, Metric>();
    for (const source of this.#sources)
      for (const metric of this.#read(source)) metrics.set(metric.name, joined(metrics.get(metric.name), metric));
    return Object.freeze([...metrics.values()]);
  }

  #read(source: MetricsSource): readonly Metric[] {
    try {
      return source();
    } catch (error) {
      this.#report(error);
      return [];
    }
  }
}

/** Two sources may have points of one metric, such as two sinks. A metric of another kind is left out. */
function joined(known: Metric | undefined, metric: Metric): Metric {
  if (known === undefined) return metric;
  if (known.kind === "histogram")
    return metric.kind === "histogram" ? { ...known, points: [...known.points, ...metric.points] } : known;
  if (metric.kind !== known.kind) return known;
  return { ...known, points: [...known.points, ...metric.points] };
}

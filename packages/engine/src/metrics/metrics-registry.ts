// The sources of an engine's metrics. Each source is a function that returns its metrics with their values now.

import { addHistograms } from "./histogram.ts";
import type { Metric, MetricPoint, MetricsSnapshot } from "./metric.ts";

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

  /** The metrics of all sources, in the order of their first appearance. Metrics of one name are put together. */
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

/** Two sources may have one metric, such as two sinks. A metric of another kind is left out. */
function joined(known: Metric | undefined, metric: Metric): Metric {
  if (known === undefined) return metric;
  if (known.kind === "histogram")
    return metric.kind === "histogram"
      ? { ...known, points: added([...known.points, ...metric.points], addHistograms) }
      : known;
  if (metric.kind !== known.kind) return known;
  return { ...known, points: added([...known.points, ...metric.points], (one, other) => one + other) };
}

/** Points with the same labels are added up, because a monitoring system accepts each once. */
function added<Value>(
  points: readonly LabelledValue<Value>[],
  add: (one: Value, other: Value) => Value,
): readonly LabelledValue<Value>[] {
  const byLabels = new Map<string, LabelledValue<Value>>();
  for (const { labels, value } of points) {
    const key = JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));
    const known = byLabels.get(key);
    byLabels.set(key, { labels, value: known === undefined ? value : add(known.value, value) });
  }
  return [...byLabels.values()];
}

interface LabelledValue<Value> {
  readonly labels: MetricPoint["labels"];
  readonly value: Value;
}

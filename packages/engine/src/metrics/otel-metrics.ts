// Metrics as instruments of OpenTelemetry. Only types of its API are needed: the meter is the user's.
//
// The API has no observable histogram, so a histogram is three counters, as in the text format of Prometheus: `_bucket` with
// the attribute `le`, `_sum` and `_count`.

import type { BatchObservableResult, Meter, Observable } from "@opentelemetry/api";
import type { HistogramPoint, Metric, MetricsSnapshot } from "./metric.ts";

type Instruments = ReadonlyMap<string, Observable>;

/**
 * Registers metrics as observable instruments of a meter, which reads them whenever it exports. Metrics that `read` does not return
 * now are left out later, too. Returns a function that ends the registration.
 */
export function observeMetrics(read: () => MetricsSnapshot, meter: Meter): () => void {
  const instruments: Instruments = new Map(read().flatMap((metric) => createInstruments(metric, meter)));
  const observables = [...instruments.values()];
  const callback = (result: BatchObservableResult): void => {
    for (const metric of read()) observe(metric, instruments, result);
  };
  meter.addBatchObservableCallback(callback, observables);
  return () => meter.removeBatchObservableCallback(callback, observables);
}

function createInstruments(metric: Metric, meter: Meter): readonly (readonly [string, Observable])[] {
  const { name, help: description } = metric;
  const options = { description, ...(metric.unit === undefined ? {} : { unit: "s" }) };
  if (metric.kind === "gauge") return [[name, meter.createObservableGauge(name, options)]];
  if (metric.kind === "counter") return [[name, meter.createObservableCounter(name, options)]];
  return [
    [`${name}_bucket`, meter.createObservableCounter(`${name}_bucket`, { description })],
    [`${name}_sum`, meter.createObservableCounter(`${name}_sum`, options)],
    [`${name}_count`, meter.createObservableCounter(`${name}_count`, { description })],
  ];
}

function observe(metric: Metric, instruments: Instruments, result: BatchObservableResult): void {
  if (metric.kind === "histogram")
    for (const point of metric.points) observeHistogram(metric.name, point, instruments, result);
  else {
    const instrument = instruments.get(metric.name);
    if (instrument !== undefined)
      for (const { labels, value } of metric.points) result.observe(instrument, value, labels);
  }
}

function observeHistogram(
  name: string,
  { labels, value }: HistogramPoint,
  instruments: Instruments,
  result: BatchObservableResult,
): void {
  const [bucket, sum, count] = ["bucket", "sum", "count"].map((part) => instruments.get(`${name}_${part}`));
  if (bucket === undefined || sum === undefined || count === undefined) return;
  for (const { le, count: upTo } of value.buckets) result.observe(bucket, upTo, { ...labels, le: String(le) });
  result.observe(bucket, value.count, { ...labels, le: "+Inf" });
  result.observe(sum, value.sum, labels);
  result.observe(count, value.count, labels);
}

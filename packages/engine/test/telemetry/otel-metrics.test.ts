// Metrics as instruments of OpenTelemetry, with its SDK.

import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricData,
} from "@opentelemetry/sdk-metrics";
import { expect, it } from "vitest";
import { Engine, observeMetrics, workflow, type MetricsSnapshot } from "../../src/index.ts";
import { samples } from "./metric-value.ts";

it("EVENT-4 every sample of a snapshot is a value of an observable instrument, in seconds where it has a unit", async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  await using engine = await Engine.open({ store: "none" });
  let reads = 0;
  const read = (): MetricsSnapshot => {
    reads++;
    return engine.metrics();
  };
  const stop = observeMetrics(read, provider.getMeter("segno"));
  await (await engine.start(workflow("flow").step("only", () => 1))).result();
  await provider.forceFlush();
  const exported = lastExport(exporter);
  const values = Object.fromEntries(exported.flatMap(sampleEntries));
  const known = withoutDelays(samples(engine.metrics()));
  expect(withoutDelays(values)).toEqual(known);
  expect(Object.keys(known)).toContain('workflow_duration_bucket{workflow="flow",le="+Inf"}');
  const unitOf = (name: string): string | undefined =>
    exported.find(({ descriptor }) => descriptor.name === name)?.descriptor.unit;
  expect([unitOf("task_duration_sum"), unitOf("task_duration_bucket")]).toEqual(["s", ""]);
  expect(reads).toBe(2);
  stop();
  await provider.forceFlush();
  expect(reads).toBe(2);
  await provider.shutdown();
});

function lastExport(exporter: InMemoryMetricExporter): readonly MetricData[] {
  const last = exporter.getMetrics().at(-1);
  return (last?.scopeMetrics ?? []).flatMap(({ metrics }) => metrics).filter(({ dataPoints }) => dataPoints.length > 0);
}

function sampleEntries({ descriptor, dataPoints }: MetricData): readonly (readonly [string, unknown])[] {
  return dataPoints.map(({ attributes, value }) => {
    const labels = Object.entries(attributes).map(([key, text]) => `${key}="${String(text)}"`);
    return [`${descriptor.name}${labels.length === 0 ? "" : `{${labels.join(",")}}`}`, value];
  });
}

/** The delay of the event loop is another one at each reading. */
function withoutDelays(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith("segno_event_loop")));
}

// Metrics in the text format of Prometheus (version 0.0.4).

import type { HistogramPoint, Metric, MetricPoint, MetricsSnapshot } from "./metric.ts";

/** The media type of the text. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Writes metrics in the text format that Prometheus reads. */
export function prometheusText(metrics: MetricsSnapshot): string {
  return metrics.map((metric) => `${[...familyLines(metric)].join("\n")}\n`).join("");
}

function* familyLines(metric: Metric): Iterable<string> {
  yield `# HELP ${metric.name} ${escapeHelp(metric.help)}`;
  yield `# TYPE ${metric.name} ${metric.kind}`;
  if (metric.kind === "histogram") for (const point of metric.points) yield* histogramLines(metric.name, point);
  else for (const { labels, value } of metric.points) yield sampleLine(metric.name, labels, value);
}

function* histogramLines(name: string, { labels, value }: HistogramPoint): Iterable<string> {
  for (const { le, count } of value.buckets)
    yield sampleLine(`${name}_bucket`, { ...labels, le: numberText(le) }, count);
  yield sampleLine(`${name}_bucket`, { ...labels, le: "+Inf" }, value.count);
  yield sampleLine(`${name}_sum`, labels, value.sum);
  yield sampleLine(`${name}_count`, labels, value.count);
}

function sampleLine(name: string, labels: MetricPoint["labels"], value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${numberText(value)}`;
}

function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}

// docs/reference/metrics.md, from the catalogues of the engine and of code workflows.

import { CODE_METRICS } from "../packages/code/src/events/code-metrics.ts";
import { ENGINE_METRICS } from "../packages/engine/src/metrics/engine-metrics.ts";
import type { MetricCatalogue } from "../packages/engine/src/metrics/metric.ts";

export function metricsDocument(): string {
  return [
    "# Metrics",
    "",
    "`npm run generate` writes this document from the catalogues `packages/engine/src/metrics/engine-metrics.ts` and",
    "`packages/code/src/events/code-metrics.ts`.",
    "",
    "`engine.metrics()` returns the metrics of an engine as plain values. `prometheusText(engine.metrics())` writes them in the text format of",
    "Prometheus. `observeMetrics(() => engine.metrics(), meter)` registers them with a meter of OpenTelemetry. They count what the process has",
    "done since it opened the engine, and begin at 0 again after a restart. Durations are in seconds.",
    "",
    "A label has at most 100 values; everything beyond them has the value `other`. Metrics without the prefix `segno_` have the names that the",
    "specification of code workflows gives them: there an execution is a workflow, and a step is a task",
    "([decision 72](../decisions/0072-metrics-as-values-and-a-span-for-each-attempt.md)). [grafana-dashboard.json](../grafana-dashboard.json) is a",
    "dashboard of them for Grafana.",
    "",
    "## Of an engine",
    "",
    ...table(ENGINE_METRICS),
    "",
    "## Of code workflows",
    "",
    "`codeMetrics(executor.metrics())` returns them in the same form, and",
    "`engine.extensions.addMetrics(() => codeMetrics(executor.metrics()))` adds them to those of an engine.",
    "",
    ...table(CODE_METRICS),
    "",
  ].join("\n");
}

function table(catalogue: MetricCatalogue): readonly string[] {
  return [
    "| name | kind | labels | meaning |",
    "|---|---|---|---|",
    ...Object.entries(catalogue).map(
      ([name, { kind, labels, help }]) =>
        `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
    ),
  ];
}

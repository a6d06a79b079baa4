// The dashboard asks for metrics that exist, by labels that they have, and shows every metric of an engine.

import { describe, expect, it } from "vitest";

import { CODE_METRICS } from "../packages/code/src/events/code-metrics.ts";
import { ENGINE_METRICS } from "../packages/engine/src/metrics/engine-metrics.ts";
import type { MetricCatalogue } from "../packages/engine/src/metrics/metric.ts";
import { readText } from "./repository.ts";

const catalogue: MetricCatalogue = { ...ENGINE_METRICS, ...CODE_METRICS };
const { panels } = JSON.parse(readText("docs/grafana-dashboard.json")) as {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
};
const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Functions, keywords and labels of the queries that are not metrics. */
const NOT_METRICS = new Set(["sum", "max", "by", "rate", "histogram_quantile", "le", "__rate_interval"]);

/** The names of series in a query: those of metrics, and of the parts of histograms. */
function seriesIn(query: string): readonly string[] {
  const withoutLabels = query.replaceAll(/by \([^)]*\)/gu, "");
  return [...withoutLabels.matchAll(/[a-z_]\w*/gu)].map(([name]) => name).filter((name) => !NOT_METRICS.has(name));
}

/** The metric of a series, which may be a part of a histogram. */
const metricOf = (name: string): string =>
  Object.hasOwn(catalogue, name) ? name : name.replace(/_(?:bucket|sum|count)$/u, "");

/** The series that Prometheus has for the metrics of the catalogue. */
const series = new Set(
  Object.entries(catalogue).flatMap(([name, { kind }]) =>
    kind === "histogram" ? ["_bucket", "_sum", "_count"].map((part) => `${name}${part}`) : [name],
  ),
);

describe("docs/grafana-dashboard.json", () => {
  it("EVENT-4 asks only for metrics that exist", () => {
    expect(queries.length).toBeGreaterThan(20);
    expect(queries.flatMap(seriesIn).filter((name) => !series.has(name))).toEqual([]);
  });

  it("EVENT-4 groups only by labels that the metrics have", () => {
    const wrong = queries.filter((query) => {
      const labels = (/by \(([^)]*)\)/u.exec(query)?.[1] ?? "").split(", ").filter((label) => label !== "");
      const known = new Set(seriesIn(query).flatMap((name) => ["le", ...(catalogue[metricOf(name)]?.labels ?? [])]));
      return labels.some((label) => !known.has(label));
    });
    expect(wrong).toEqual([]);
  });

  it("EVENT-4 shows every metric of an engine", () => {
    const shown = new Set(queries.flatMap(seriesIn).map(metricOf));
    expect(Object.keys(ENGINE_METRICS).filter((name) => !shown.has(name))).toEqual([]);
  });
});

describe("the catalogues of metrics", () => {
  it("EVENT-4 have different names, in the form that Prometheus accepts", () => {
    expect(Object.keys(ENGINE_METRICS).filter((name) => Object.hasOwn(CODE_METRICS, name))).toEqual([]);
    expect(Object.keys(catalogue).filter((name) => !/^[a-z][a-z_]*$/u.test(name))).toEqual([]);
  });

  it("EVENT-4 have every metric of the sources under its name", () => {
    const named = /Counters:(.*?)Also:/su.exec(readText("docs/semantics.md"))![1]!;
    const names = [...named.matchAll(/`(\w+)`/gu)].map(([, name]) => name!);
    expect(names).toHaveLength(19);
    expect(names.filter((name) => !Object.hasOwn(catalogue, name))).toEqual([]);
  });
});

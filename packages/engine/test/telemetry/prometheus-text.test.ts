// The text format of Prometheus, compared with the text of its official client for the same values.

import { Counter, Gauge, Histogram as ClientHistogram, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { HistogramFold, prometheusText, type MetricsSnapshot } from "../../src/index.ts";

const HOSTILE = 'a "quoted" \\ back\nline';

/** The lines of a text without order, because the order of families is free. */
const lines = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();

describe("the text format of Prometheus", () => {
  it("EVENT-4 is the text that the official client writes for counters, gauges and histograms", async () => {
    const client = new Registry();
    const labelNames = ["workflow", "outcome"] as const;
    const counter = new Counter({ name: "runs", help: `Runs ${HOSTILE}`, labelNames, registers: [client] });
    counter.inc({ workflow: HOSTILE, outcome: "ok" }, 3);
    counter.inc({ workflow: "b", outcome: "" }, 1e21);
    new Gauge({ name: "used", help: "Used", registers: [client] }).set(-0.25);
    const bounds = [0.1, 1, 10];
    const histogram = new ClientHistogram({
      name: "seconds",
      help: "Seconds",
      labelNames: ["workflow"],
      buckets: bounds,
      registers: [client],
    });
    const fold = new HistogramFold(bounds);
    for (const value of [0.05, 0.1, 0.5, 10, 11]) {
      histogram.observe({ workflow: "a" }, value);
      fold.add(value);
    }
    const snapshot: MetricsSnapshot = [
      {
        kind: "counter",
        name: "runs",
        help: `Runs ${HOSTILE}`,
        points: [
          { labels: { workflow: HOSTILE, outcome: "ok" }, value: 3 },
          { labels: { workflow: "b", outcome: "" }, value: 1e21 },
        ],
      },
      { kind: "gauge", name: "used", help: "Used", points: [{ labels: {}, value: -0.25 }] },
      {
        kind: "histogram",
        name: "seconds",
        help: "Seconds",
        points: [{ labels: { workflow: "a" }, value: fold.snapshot() }],
      },
    ];
    // The client puts `le` first; the order of labels has no meaning.
    const expected = (await client.metrics()).replaceAll(/\{le="([^"]+)",workflow="a"\}/gu, '{workflow="a",le="$1"}');
    expect(lines(prometheusText(snapshot))).toEqual(lines(expected));
  });

  it.each([
    [Number.NaN, "NaN"],
    [Infinity, "+Inf"],
    [-Infinity, "-Inf"],
    [0, "0"],
    [1e-7, "1e-7"],
  ])("writes %d as %s", (value, text) => {
    const metric = { kind: "gauge", name: "g", help: "", points: [{ labels: {}, value }] } as const;
    expect(prometheusText([metric])).toBe(`# HELP g \n# TYPE g gauge\ng ${text}\n`);
  });

  it("has a metric without points by its description alone, and no metric as the empty text", () => {
    expect(prometheusText([{ kind: "counter", name: "c", help: "C", points: [] }])).toBe(
      "# HELP c C\n# TYPE c counter\n",
    );
    expect(prometheusText([])).toBe("");
  });
});

// Reads values of a snapshot by the text that Prometheus would have for them.

import { prometheusText, type MetricsSnapshot } from "../../src/index.ts";

/** The samples of a snapshot, by name and labels. */
export function samples(metrics: MetricsSnapshot): Readonly<Record<string, number>> {
  const lines = prometheusText(metrics)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

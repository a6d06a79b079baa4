// Metrics as plain values. A reader writes them in the format of its monitoring system (`prometheus-text.ts`,
// `otel-metrics.ts`).

import type { Histogram } from "./histogram.ts";

/** A counter only rises. A gauge rises and falls. A histogram counts values in buckets. */
export type MetricKind = "counter" | "gauge" | "histogram";

/** The description of a metric, which does not change. */
export interface MetricDefinition {
  readonly kind: MetricKind;
  /** The meaning, for people. */
  readonly help: string;
  /** The names of the labels of each point. */
  readonly labels: readonly string[];
  /** The unit of the values, if they have one. */
  readonly unit?: "seconds";
}

/** The value of a counter or gauge for some values of its labels. */
export interface MetricPoint {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The histogram for some values of the labels. */
export interface HistogramPoint {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: Histogram;
}

/** A counter, a gauge or a histogram with its values at one time. */
export type Metric =
  | {
      readonly kind: "counter" | "gauge";
      readonly name: string;
      readonly help: string;
      readonly unit?: "seconds";
      readonly points: readonly MetricPoint[];
    }
  | {
      readonly kind: "histogram";
      readonly name: string;
      readonly help: string;
      readonly unit?: "seconds";
      readonly points: readonly HistogramPoint[];
    };

/** All metrics of an engine at one time, each name once. */
export type MetricsSnapshot = readonly Metric[];

/** The label values of a metric without labels. */
const NO_LABELS: MetricPoint["labels"] = Object.freeze({});

/** Descriptions of metrics by name. */
export type MetricCatalogue<Name extends string = string> = Readonly<Record<Name, MetricDefinition>>;

/** Makes metrics of one catalogue from their values now. `Scalar` are the names of its counters and gauges. */
export class MetricMaker<Scalar extends string, HistogramName extends string> {
  readonly #catalogue: MetricCatalogue<Scalar | HistogramName>;

  constructor(catalogue: MetricCatalogue<Scalar | HistogramName>) {
    this.#catalogue = catalogue;
  }

  /** A counter or a gauge with labels. */
  scalars(name: Scalar, points: readonly MetricPoint[]): Metric {
    const { kind, help, unit } = this.#catalogue[name];
    return { kind: kind as "counter" | "gauge", name, help, ...(unit === undefined ? {} : { unit }), points };
  }

  /** A counter or a gauge without labels. */
  scalar(name: Scalar, value: number): Metric {
    return this.scalars(name, [{ labels: NO_LABELS, value }]);
  }

  /** A histogram with labels. */
  histograms(name: HistogramName, points: readonly HistogramPoint[]): Metric {
    const { help, unit } = this.#catalogue[name];
    return { kind: "histogram", name, help, ...(unit === undefined ? {} : { unit }), points };
  }

  /** A histogram without labels. */
  histogram(name: HistogramName, value: Histogram): Metric {
    return this.histograms(name, [{ labels: NO_LABELS, value }]);
  }
}

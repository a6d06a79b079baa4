// The gauges of an engine: values that its parts have now.

import type { Bus } from "../events/bus.ts";
import { BoundedLabels } from "../metrics/bounded-labels.ts";
import { engineMetrics } from "../metrics/engine-metrics.ts";
import type { Metric, MetricPoint } from "../metrics/metric.ts";
import type { SinkMetrics } from "../sinks/sink-metrics.ts";
import type { AdmissionController } from "../turn/admission-controller.ts";
import type { LiveExecutions } from "../executions/live-executions.ts";

/** The counters of the sinks. The options of the engine bound the number of sinks. */
export function sinkMetrics(sinks: readonly SinkMetrics[]): readonly Metric[] {
  const points = (read: (sink: SinkMetrics) => number): readonly MetricPoint[] =>
    sinks.map((sink) => ({ labels: { sink: sink.name }, value: read(sink) }));
  const dropped = sinks.flatMap(({ name, dropped: byLevel }) =>
    Object.entries(byLevel).map(([level, value]) => ({ labels: { sink: name, level }, value })),
  );
  return [
    engineMetrics.scalars(
      "segno_sink_lines_total",
      points((sink) => sink.delivered),
    ),
    engineMetrics.scalars("segno_sink_dropped_total", dropped),
    engineMetrics.scalars(
      "segno_sink_failures_total",
      points((sink) => sink.failures),
    ),
    engineMetrics.scalars(
      "segno_sink_queued",
      points((sink) => sink.queued),
    ),
  ];
}

export interface GaugePorts {
  readonly admission: Pick<AdmissionController, "usedSlots" | "waitingCount" | "resourceUsage">;
  readonly live: Pick<LiveExecutions, "size">;
  readonly bus: Pick<Bus, "dropped">;
  readonly slots: number;
}

export function engineGauges({ admission, live, bus, slots }: GaugePorts): readonly Metric[] {
  return [
    engineMetrics.scalar("segno_steps_waiting", admission.waitingCount),
    engineMetrics.scalar("segno_slots_used", admission.usedSlots),
    engineMetrics.scalar("segno_slots_max", slots),
    engineMetrics.scalars("segno_resource_used", usagePoints(admission)),
    engineMetrics.scalar("segno_executions_live", live.size),
    engineMetrics.scalar("segno_events_dropped_total", bus.dropped),
  ];
}

/** A workflow may declare resources of its own, and each step may have a limit, so their number is bounded here. */
function usagePoints(admission: GaugePorts["admission"]): readonly MetricPoint[] {
  const roles = new Map<string, BoundedLabels<{ used: number }>>();
  for (const { role, name, used } of admission.resourceUsage()) {
    let resources = roles.get(role);
    if (resources === undefined) roles.set(role, (resources = new BoundedLabels(() => ({ used: 0 }))));
    resources.of(name).used += used;
  }
  return [...roles].flatMap(([role, resources]) =>
    resources.map((resource, { used }) => ({ labels: { role, resource }, value: used })),
  );
}

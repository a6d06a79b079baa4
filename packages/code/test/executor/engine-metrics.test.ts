// The metrics of an executor among those of its engine.

import { Engine, prometheusText } from "@segno/engine";
import { expect, it } from "vitest";
import { CODE_METRICS, codeMetrics } from "../../src/events/code-metrics.ts";
import { MetricsFold } from "../../src/events/executor-metrics.ts";
import { MemoryExecutor } from "./memory-executor.ts";
import { independent } from "./memory-scripts.ts";

it("EVENT-4 an executor adds its metrics to those of its engine until it is closed", async () => {
  await using engine = await Engine.open({ store: "none" });
  const test = new MemoryExecutor({}, { engine });
  await test.executor.executeWorkflow(await test.executor.instantiateTemplate(independent("a", "b"), {}));
  const lines = prometheusText(engine.metrics()).split("\n");
  for (const line of ["sessions_created 2", "sessions_active 0", "merges_failed 0", "code_tasks_completed 2"])
    expect(lines).toContain(line);
  expect(lines.filter((line) => line.startsWith("# TYPE workflows_started"))).toHaveLength(1);
  await test.executor.close();
  expect(prometheusText(engine.metrics())).not.toContain("sessions_created");
});

it("EVENT-4 an executor has every metric of its catalogue, with its labels", () => {
  const metrics = codeMetrics({ ...new MetricsFold().snapshot(), errors_by_type: { network_timeout: 2 } });
  expect(metrics.map(({ name }) => name)).toEqual(Object.keys(CODE_METRICS));
  for (const { name, kind, points } of metrics) {
    const { kind: expected, labels } = CODE_METRICS[name as keyof typeof CODE_METRICS];
    expect([kind, Object.keys(points[0]!.labels)]).toEqual([expected, labels]);
  }
});

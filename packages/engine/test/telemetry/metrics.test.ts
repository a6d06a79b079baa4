// The metrics of an engine (EVENT-4).

import { describe, expect, it } from "vitest";
import { agent, Engine, HistogramFold, map, skip, sleep, workflow, type Metric } from "../../src/index.ts";
import { openTestEngine } from "../../src/testing/index.ts";
import { ENGINE_METRICS } from "../../src/metrics/engine-metrics.ts";
import { StoreFault } from "../../src/store/store-fault.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import type { CommitBatch } from "../../src/store/store.ts";
import { samples } from "./metric-value.ts";

const NEVER = new Promise<never>(() => undefined);

describe("the metrics of executions and steps", () => {
  it("EVENT-4 count executions by their end, and their steps, retries and durations in seconds", async () => {
    const flow = workflow<{ ending: string }>("flow")
      .step("wait", sleep("2s"))
      .step(
        "work",
        { dependsOn: ["wait"], retry: { attempts: 2, base: "4s", jitter: "none" } },
        ({ attempt, input }) => {
          if (attempt === 1 || input.ending === "failed") throw new Error("not yet");
        },
      )
      .step("left", { dependsOn: ["work"] }, () => skip("nothing to do"));
    await using test = await openTestEngine({ workflows: [flow], unwatchedFailures: "ignore" });
    await test.start(flow, { ending: "completed" });
    await test.start(flow, { ending: "failed" });
    await test.advance("1m");
    const cancelled = await test.start(flow, { ending: "completed" });
    await cancelled.cancel();
    await test.advance("1m");
    expect(samples(test.engine.metrics())).toMatchObject({
      'workflows_started{workflow="flow"}': 3,
      'workflows_completed{workflow="flow"}': 1,
      'workflows_failed{workflow="flow"}': 1,
      'workflows_cancelled{workflow="flow"}': 1,
      'workflow_duration_count{workflow="flow"}': 3,
      'workflow_duration_bucket{workflow="flow",le="5"}': 1,
      'workflow_duration_bucket{workflow="flow",le="10"}': 3,
      'tasks_scheduled{workflow="flow"}': 6,
      'tasks_completed{workflow="flow"}': 3,
      'tasks_failed{workflow="flow"}': 1,
      'tasks_skipped{workflow="flow"}': 2,
      'tasks_cancelled{workflow="flow"}': 3,
      'task_retry_count{workflow="flow"}': 2,
      'segno_attempts_total{outcome="succeeded"}': 1,
      'segno_attempts_total{outcome="skipped"}': 1,
      'segno_attempts_total{outcome="failed"}': 3,
      segno_attempt_duration_seconds_count: 5,
      segno_executions_live: 0,
    });
  });

  it("EVENT-4 count a timeout, a lost attempt and a cancelled one by themselves", async () => {
    const flow = workflow("flow")
      .step("slow", { timeout: "1s", retry: { attempts: 1 } }, async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      })
      .output(() => null);
    const stuck = workflow("stuck").step("stuck", () => NEVER);
    await using test = await openTestEngine({ workflows: [flow, stuck], unwatchedFailures: "ignore" });
    await test.start(flow, null);
    const stopped = await test.start(stuck, null);
    await test.advance("1m");
    await stopped.cancel({ graceMs: 1000 });
    await test.advance("1m");
    const values = samples(test.engine.metrics());
    expect(values['segno_attempts_total{outcome="timeout"}']).toBe(1);
    expect(values['segno_attempts_total{outcome="lost"}']).toBe(1);
  });
});

describe("the metrics of many executions and steps", () => {
  it("EVENT-4 count items of a map, and nothing twice after a crash", async () => {
    const flow = workflow("flow")
      .step(
        "each",
        map([1, 2, 3], ({ item }) => item),
      )
      .step("hang", { dependsOn: ["each"] }, () => NEVER)
      .output(() => null);
    await using test = await openTestEngine({ workflows: [flow] });
    await test.start(flow, null);
    await test.untilIdle();
    // Three items, their map, and the step that reads the items.
    expect(samples(test.engine.metrics())['tasks_completed{workflow="flow"}']).toBe(5);
    await test.crash();
    await test.advance("1m");
    const after = samples(test.engine.metrics());
    expect(after['tasks_completed{workflow="flow"}'] ?? 0).toBe(0);
    expect(after['workflows_started{workflow="flow"}'] ?? 0).toBe(0);
  });

  it("EVENT-4 have at most 100 workflows, and `other` for the rest", async () => {
    await using engine = await Engine.open({ store: "none" });
    for (let index = 0; index < 120; index++) {
      const flow = workflow(`flow-${index}`).step("only", () => 1);
      await (await engine.start(flow)).result();
    }
    const started = engine.metrics().find(({ name }) => name === "workflows_started")!;
    expect(started.points).toHaveLength(101);
    expect(started.points.at(-1)).toEqual({ labels: { workflow: "other" }, value: 20 });
  });
});

describe("the metrics of the engine itself", () => {
  it("EVENT-4 are those of the catalogue, each once, with its kind and its labels", async () => {
    await using engine = await Engine.open({ store: "none" });
    await (await engine.start(workflow("flow").step("only", () => 1))).result();
    const metrics = engine.metrics();
    expect(metrics.map(({ name }) => name).toSorted()).toEqual(Object.keys(ENGINE_METRICS).toSorted());
    for (const { name, kind, points } of metrics) {
      const { kind: expected, labels } = ENGINE_METRICS[name as keyof typeof ENGINE_METRICS];
      expect([name, kind]).toEqual([name, expected]);
      for (const point of points) expect([name, Object.keys(point.labels)]).toEqual([name, labels]);
    }
  });

  it("EVENT-4 have the slots, the steps that wait for one, and the resources in use", async () => {
    const flow = workflow("flow", { resources: { db: { capacity: 3, onAbandon: "release" } } })
      .step("a", { resources: { db: 2 } }, () => NEVER)
      .step("b", { resources: { db: 2 } }, () => NEVER)
      .step("c", agent("model"))
      .step("d", () => NEVER)
      .output(() => null);
    await using test = await openTestEngine({ agents: { model: () => NEVER }, limits: { slots: 2 } });
    await test.start(flow, null);
    await test.untilIdle();
    expect(samples(test.engine.metrics())).toMatchObject({
      segno_slots_max: 2,
      segno_slots_used: 2,
      segno_steps_waiting: 2,
      segno_executions_live: 1,
      'segno_resource_used{role="declared",resource="db"}': 2,
      'segno_resource_used{role="agent",resource="model"}': 1,
    });
  });

  it("EVENT-4 have the commits and the faults of the store", async () => {
    class FailingStore extends MemoryStore {
      failures = 0;

      override commit(batch: CommitBatch): Promise<void> {
        if (this.failures-- > 0) return Promise.reject(new StoreFault("STORE_BUSY", "the disk is busy"));
        return super.commit(batch);
      }
    }
    const store = new FailingStore();
    await using engine = await Engine.open({ store, onFault: () => undefined });
    await (await engine.start(workflow("flow").step("only", () => 1))).result();
    const before = samples(engine.metrics());
    expect(before["segno_commit_duration_seconds_count"]).toBeGreaterThan(0);
    expect(before["segno_commit_batch_size_sum"]).toBeGreaterThanOrEqual(before["segno_commit_batch_size_count"]!);
    const late = await engine.start(
      workflow("late").step("only", () => {
        store.failures = 1;
      }),
    );
    await late.result();
    expect(samples(engine.metrics())['segno_store_faults_total{code="STORE_BUSY"}']).toBe(1);
  });
});

describe("the metrics of subscribers and of the event loop", () => {
  it("EVENT-2 EVENT-4 count the events that a slow subscriber did not get", async () => {
    await using engine = await Engine.open({ store: "none", limits: { slots: 1000 } });
    const slow = Promise.withResolvers<void>();
    let dropped = 0;
    const { promise: caughtUp, resolve } = Promise.withResolvers<void>();
    engine.subscribe({}, async (batch) => {
      dropped += batch.dropped;
      if (batch.dropped > 0) resolve();
      await slow.promise;
    });
    const flow = workflow("flow")
      .step(
        "each",
        map(
          Array.from({ length: 8000 }, (_, index) => index),
          () => null,
        ),
      )
      .output(() => null);
    await (await engine.start(flow)).result();
    slow.resolve();
    await caughtUp;
    expect(dropped).toBeGreaterThan(0);
    expect(samples(engine.metrics())["segno_events_dropped_total"]).toBe(dropped);
  });

  it("EVENT-4 have the delay of the event loop since the reading before", async () => {
    await using engine = await Engine.open({ store: "none" });
    engine.metrics();
    // The timer of the histogram has to fire before and after the delay.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const until = performance.now() + 200;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(samples(engine.metrics())['segno_event_loop_delay_seconds{quantile="1"}']).toBeGreaterThan(0.1);
  });
});

describe("further sources of metrics", () => {
  const metric = (name: string, value: number, kind: "counter" | "gauge" = "counter"): Metric => ({
    kind,
    name,
    help: "a test",
    points: [{ labels: { source: String(value) }, value }],
  });

  it("EVENT-4 are read with those of the engine, and points of one name are put together", async () => {
    await using engine = await Engine.open({ store: "none" });
    const remove = engine.extensions.addMetrics(() => [metric("drops_total", 1)]);
    engine.extensions.addMetrics(() => [metric("drops_total", 2), metric("drops_total", 3, "gauge")]);
    engine.extensions.addMetrics(() => [metric("drops_total", 2)]);
    const read = (): unknown => engine.metrics().find(({ name }) => name === "drops_total")?.points;
    expect(read()).toEqual([
      { labels: { source: "1" }, value: 1 },
      { labels: { source: "2" }, value: 4 },
    ]);
    remove();
    expect(read()).toEqual([{ labels: { source: "2" }, value: 4 }]);
  });

  it("EVENT-4 with a histogram of one name are added up", async () => {
    await using engine = await Engine.open({ store: "none" });
    const histogram = (...values: readonly number[]): Metric => {
      const fold = new HistogramFold([1, 2]);
      for (const value of values) fold.add(value);
      return { kind: "histogram", name: "seconds", help: "a test", points: [{ labels: {}, value: fold.snapshot() }] };
    };
    for (const values of [[], [0.5, 3], [2]]) engine.extensions.addMetrics(() => [histogram(...values)]);
    expect(engine.metrics().at(-1)).toEqual(histogram(0.5, 3, 2));
  });

  it("EVENT-4 that throw are reported, and the others are still read", async () => {
    const faults: unknown[] = [];
    await using engine = await Engine.open({ store: "none", onFault: (error) => void faults.push(error) });
    const error = new Error("no metrics today");
    engine.extensions.addMetrics(() => {
      throw error;
    });
    engine.extensions.addMetrics(() => [metric("drops_total", 1)]);
    expect(engine.metrics().at(-1)?.name).toBe("drops_total");
    expect(faults).toEqual([error]);
  });
});

it("EVENT-3 EVENT-4 the lines of a sink are metrics, and so are those that it lost", async () => {
  await using engine = await Engine.open({ store: "none", sinks: [{ type: "stdout", name: "out", level: "error" }] });
  const names = engine.metrics().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["segno_sink_lines_total", "segno_sink_queued"]));
  const dropped = engine.metrics().find(({ name }) => name === "segno_sink_dropped_total");
  expect(dropped?.points).toContainEqual({ labels: { sink: "out", level: "info" }, value: 0 });
});

import { openTestEngine } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import { codeEvents } from "../../src/events/event-feed.ts";
import type { CodeEvent } from "../../src/events/event-port.ts";
import { MetricsFold, type ExecutorMetrics } from "../../src/events/executor-metrics.ts";
import { EventType } from "../../src/model/event-type.ts";
import { collect } from "./collect.ts";
import { fakeAgents, fakeWorkflow, type Ending } from "./fake-agents.ts";

function metricsOf(events: Iterable<CodeEvent>): ExecutorMetrics {
  const metrics = new MetricsFold();
  for (const event of events) metrics.apply(event);
  return metrics.snapshot();
}

/** Events of one workflow, each with its time in seconds. */
function timed(...events: readonly (readonly [EventType, number, Partial<CodeEvent>?])[]): readonly CodeEvent[] {
  return events.map(([type, at, rest = {}], index) => ({
    type,
    workflowId: "w",
    timestamp: at * 1000,
    id: `w:${index}`,
    ...rest,
  }));
}

const counts = (metrics: ExecutorMetrics): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(metrics).filter(([, value]) => typeof value === "number"));

describe("the metrics of code workflows", () => {
  it("EVENT-4 are the 19 of the sources, under their names", () => {
    expect(Object.keys(metricsOf([]))).toEqual(
      [
        ["workflows_started", "workflows_completed", "workflows_failed", "workflow_duration"],
        ["tasks_scheduled", "tasks_completed", "tasks_failed", "task_duration", "task_retry_count"],
        ["sessions_created", "sessions_active", "session_duration"],
        ["merges_attempted", "merges_succeeded", "merges_failed", "merge_duration"],
        ["errors_by_type", "fix_tasks_created", "errors_escalated"],
      ].flat(),
    );
  });

  it("EVENT-4 count a workflow with a retry, a fix and a failed task", async () => {
    const script: Readonly<Record<string, Ending>> = {
      "session-a 1": "flaky",
      "merge-a 1": "fix",
      "session-b 1": "fail",
    };
    const endings = (step: string, attempt: number): Ending => script[`${step} ${attempt}`] ?? "succeed";
    await using test = await openTestEngine({ agents: fakeAgents(endings) });
    const { definition, input } = fakeWorkflow({ a: [], b: [] });
    const { id } = await test.start(definition, input);
    await test.advance("1h");
    const metrics = metricsOf(await collect(codeEvents(test.engine, id)));
    expect(counts(metrics)).toEqual({
      workflows_started: 1,
      workflows_completed: 0,
      workflows_failed: 1,
      tasks_scheduled: 3,
      tasks_completed: 2,
      tasks_failed: 1,
      task_retry_count: 1,
      sessions_created: 4,
      sessions_active: 0,
      merges_attempted: 2,
      merges_succeeded: 1,
      merges_failed: 1,
      fix_tasks_created: 1,
      errors_escalated: 1,
    });
    expect(metrics.errors_by_type).toEqual({ network_timeout: 1, merge_conflict: 1, unknown: 1 });
    expect(metrics.session_duration.count).toBe(4);
  });
});

describe("the durations of code workflows", () => {
  it("EVENT-4 are in seconds, with sum, extremes and cumulative buckets", () => {
    const session = (sessionId: string): Partial<CodeEvent> => ({ sessionId, taskId: "a" });
    const { session_duration: durations, sessions_active: active } = metricsOf(
      timed(
        [EventType.SessionCreated, 0, session("1")],
        [EventType.SessionCreated, 1, session("2")],
        [EventType.SessionCompleted, 20, session("1")],
        [EventType.SessionTerminated, 1.5, session("2")],
        [EventType.SessionCreated, 30, session("3")],
        [EventType.SessionCompleted, 99_999, session("unknown")],
      ),
    );
    expect(durations).toMatchObject({ count: 2, sum: 20.5, min: 0.5, max: 20 });
    expect(durations.buckets.filter(({ le }) => [0.1, 0.5, 10, 30, 14_400].includes(le))).toEqual([
      { le: 0.1, count: 0 },
      { le: 0.5, count: 1 },
      { le: 10, count: 1 },
      { le: 30, count: 2 },
      { le: 14_400, count: 2 },
    ]);
    expect(active).toBe(1);
  });

  it("EVENT-4 include the time of a pause, and begin again after a retry", () => {
    const { workflow_duration: durations, workflows_failed: failed } = metricsOf(
      timed(
        [EventType.WorkflowStarted, 0],
        [EventType.WorkflowPaused, 1],
        [EventType.WorkflowResumed, 5],
        [EventType.WorkflowFailed, 10],
        [EventType.WorkflowResumed, 100],
        [EventType.WorkflowCompleted, 103],
      ),
    );
    expect([durations.count, durations.sum, failed]).toEqual([2, 13, 1]);
  });

  it("EVENT-4 are those of one workflow, also if tasks of two have the same name", () => {
    const { merge_duration: durations } = metricsOf(
      timed(
        [EventType.MergeStarted, 0, { taskId: "a" }],
        [EventType.MergeStarted, 1, { taskId: "a", workflowId: "v" }],
        [EventType.MergeStarted, 2, {}],
        [EventType.MergeCompleted, 4, { taskId: "a" }],
        [EventType.MergeFailed, 5, { taskId: "a", workflowId: "v" }],
        [EventType.MergeCompleted, 6, {}],
      ),
    );
    expect([durations.count, durations.sum]).toEqual([3, 12]);
  });
});

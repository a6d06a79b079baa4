// The lists of the source, item by item: 23 events with their fields, three log lines with levels and fields, 19 metrics.

import type { ExecutionHandle } from "@segno/engine";
import { openTestEngine } from "@segno/engine/testing";
import { describe, expect, it } from "vitest";
import { codeEvents } from "../../src/events/event-feed.ts";
import type { CodeEvent } from "../../src/events/event-port.ts";
import { toRecord } from "../../src/events/event-record.ts";
import { MetricsFold } from "../../src/events/executor-metrics.ts";
import { EventType } from "../../src/model/event-type.ts";
import { collect } from "./collect.ts";
import { fakeAgents, fakeWorkflow, type Ending } from "./fake-agents.ts";

type Field = Exclude<keyof CodeEvent, "id" | "type">;

const SESSION: readonly Field[] = ["taskId", "sessionId"];
const MERGE_FAILURE: readonly Field[] = ["taskId", "error", "errorType", "conflicts", "ciLogs"];

/** The member of `EventType`, its value, and the fields that one of its events has beside `workflowId` and `timestamp`. */
const EVENTS: readonly (readonly [keyof typeof EventType, string, readonly Field[]])[] = [
  ["WorkflowStarted", "workflow.started", []],
  ["WorkflowPaused", "workflow.paused", []],
  ["WorkflowResumed", "workflow.resumed", []],
  ["WorkflowCompleted", "workflow.completed", []],
  ["WorkflowFailed", "workflow.failed", ["error"]],
  ["TaskScheduled", "task.scheduled", ["taskId", "originalTaskId"]],
  ["TaskClaimed", "task.claimed", ["taskId", "originalTaskId"]],
  ["TaskStarted", "task.started", ["taskId", "originalTaskId"]],
  ["TaskCompleted", "task.completed", ["taskId", "originalTaskId"]],
  ["TaskFailed", "task.failed", ["taskId", "error"]],
  ["SessionCreated", "session.created", SESSION],
  ["SessionExecuting", "session.executing", SESSION],
  ["SessionCompleted", "session.completed", SESSION],
  ["SessionTerminated", "session.terminated", [...SESSION, "error"]],
  ["MergeStarted", "merge.started", ["taskId"]],
  ["MergeWaitingForChecks", "merge.waiting_for_checks", ["taskId"]],
  ["MergeWaitingForApproval", "merge.waiting_for_approval", ["taskId"]],
  ["MergeCompleted", "merge.completed", ["taskId"]],
  ["MergeFailed", "merge.failed", MERGE_FAILURE],
  ["ErrorDetected", "error.detected", MERGE_FAILURE],
  ["RetryAttempt", "error.retry", [...SESSION, "error", "errorType"]],
  ["FixTaskCreated", "error.fix_task_created", [...MERGE_FAILURE, "originalTaskId", "fixTaskId"]],
  ["ErrorEscalated", "error.escalated", ["taskId", "error"]],
];

type Script = Readonly<Record<string, Ending>>;

async function play(script: Script, act: (handle: ExecutionHandle) => Promise<void>): Promise<readonly CodeEvent[]> {
  const endings = (step: string, attempt: number): Ending => script[`${step} ${attempt}`] ?? "succeed";
  await using test = await openTestEngine({ agents: fakeAgents(endings) });
  const { definition, input } = fakeWorkflow({ a: [], b: ["a"] }, ["a"]);
  const { id } = await test.start(definition, input, { id: "x" });
  await test.advance("1h");
  await act(await test.get(id));
  await test.advance("1h");
  return await collect(codeEvents(test.engine, id));
}

/** Two workflows that have all events: one fails after a fix and a retry, one is paused, approved and completed. */
async function allEvents(): Promise<readonly CodeEvent[]> {
  const failed = await play(
    { "session-a 1": "flaky", "merge-a 1": "fix", "session-b 1": "fail" },
    async () => undefined,
  );
  const completed = await play({ "merge-a 1": "approval" }, async (handle) => {
    await handle.pause();
    await handle.resume();
    await handle.approve("merge-a/approval", { by: "ann" });
  });
  return [...failed, ...completed];
}

describe("the lists of the source", () => {
  it("EVENT-1 the events are these 23", () => {
    expect(Object.entries(EventType)).toEqual(EVENTS.map(([member, value]) => [member, value]));
  });

  it("EVENT-1 each event is derived, with the workflow, the time and the fields that apply to it", async () => {
    const events = await allEvents();
    for (const [, value, fields] of EVENTS) {
      const found = events.filter(({ type }) => type === value);
      const names: readonly Field[] = ["workflowId", "timestamp", ...fields];
      expect(
        names.filter((name) => !found.some((event) => event[name] !== undefined)),
        value,
      ).toEqual([]);
    }
  });

  it("EVENT-1 a merge that is escalated without a fix has its conflicts and its log, too", async () => {
    const events = await play({ "merge-a 1": "escalation" }, async (handle) => {
      await handle.reject("merge-a/escalation", { by: "ann" });
    });
    expect(events.find(({ type }) => type === EventType.MergeFailed)).toMatchObject({
      error: "two sides changed ${ x }",
      errorType: "merge_conflict",
      conflicts: { files: [{ path: "a.ts" }] },
      ciLogs: "the log",
    });
  });

  it.each([
    ["Task scheduled", "info", ["workflowId", "taskId", "taskType", "dependencies"]],
    ["Session created", "debug", ["sessionId", "taskId", "workspacePath", "taskBranch"]],
    ["Merge failed", "error", ["taskId", "taskBranch", "workflowBranch", "error", "conflicts", "ciLogs"]],
  ])("EVENT-5 the line `%s` is written at the level %s with its fields", async (message, level, fields) => {
    const lines = (await allEvents()).map(toRecord).filter((line) => line.message === message);
    expect(lines.length).toBeGreaterThan(0);
    expect(new Set(lines.map((line) => line.level))).toEqual(new Set([level]));
    for (const line of lines) expect(fields.filter((field) => line.fields?.[field] === undefined)).toEqual([]);
  });

  it("EVENT-4 the metrics are these 19, and each of them is counted", async () => {
    const metrics = new MetricsFold();
    // The sessions of a workflow that is cut off are still active.
    for (const event of (await allEvents()).slice(0, -1)) metrics.apply(event);
    for (const type of [EventType.WorkflowCompleted, EventType.SessionCreated])
      metrics.apply({ type, workflowId: "x", timestamp: 1, id: type, taskId: "a", sessionId: "open" });
    const value = (metric: unknown): number =>
      typeof metric === "number"
        ? metric
        : ((metric as { count?: number }).count ?? Object.values(metric as object).length);
    const snapshot = Object.entries(metrics.snapshot()).map(([name, metric]) => [name, value(metric) > 0]);
    expect(snapshot).toEqual(
      [
        ["workflows_started", "workflows_completed", "workflows_failed", "workflow_duration"],
        ["tasks_scheduled", "tasks_completed", "tasks_failed", "task_duration", "task_retry_count"],
        ["sessions_created", "sessions_active", "session_duration"],
        ["merges_attempted", "merges_succeeded", "merges_failed", "merge_duration"],
        ["errors_by_type", "fix_tasks_created", "errors_escalated"],
      ]
        .flat()
        .map((name) => [name, true]),
    );
  });
});

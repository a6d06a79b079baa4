import { epochMs, stepIndex } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { failure, ScriptedEvents } from "../../test/scripted-events.ts";

const at = (index: number) => stepIndex(index);
const statuses = ({ progress }: ScriptedEvents): object =>
  Object.fromEntries(progress.steps.map(({ name, status }) => [name, status]));

describe("progress", () => {
  it("EVENT-1 is where the events say that steps are, and counts them", () => {
    const story = new ScriptedEvents(["build", "test", "notes"]);
    story.begin();
    story.start(100, 0);
    expect(statuses(story)).toEqual({ build: "running", test: "waiting", notes: "waiting" });
    story.succeed(1300, 0);
    story.tell(1300, { kind: "step.skipped", step: at(2), reason: { kind: "condition" } });
    story.start(1300, 1);
    story.retry(1500, 1, "no luck", 2500);
    expect(statuses(story)).toEqual({ build: "succeeded", test: "retrying", notes: "skipped" });
    const { progress } = story;
    expect([progress.done, progress.total, progress.status]).toEqual([2, 3, "running"]);
    expect(progress.step(1)).toMatchObject({ attempt: 1, startedAt: 1300, dueAt: 2500, failure: failure("no luck") });
    expect(progress.active.map(({ name }) => name)).toEqual(["test"]);
  });

  it("keeps the time of the first attempt over retries, and forgets what held for the state before", () => {
    const story = new ScriptedEvents(["flaky"]);
    story.begin();
    story.start(10, 0);
    story.retry(20, 0, "no luck", 1020);
    story.start(1020, 0, 2);
    expect(story.progress.step(0)).toMatchObject({ attempt: 2, startedAt: 10, sinceAt: 1020 });
    expect(story.progress.step(0)).not.toHaveProperty("failure");
    story.succeed(1100, 0);
    expect(story.progress.step(0)).toMatchObject({ attempt: 2, startedAt: 10, endedAt: 1100 });
  });

  it("CANCEL-4 takes steps that end together by their places", () => {
    const story = new ScriptedEvents(["a", "b", "c", "d"]);
    story.begin();
    story.start(5, 0);
    story.tell(10, {
      kind: "execution.cancelling",
      mode: "abort",
      reason: "enough",
      grace: 5000 as never,
      compensate: false,
    });
    story.tell(10, { kind: "steps.cancelled", steps: [[at(1), at(3)]], reason: "enough" });
    story.tell(10, { kind: "steps.cancelling", steps: [[at(0), at(0)]], reason: "enough", forceAt: epochMs(5010) });
    expect(statuses(story)).toEqual({ a: "cancelling", b: "cancelled", c: "cancelled", d: "cancelled" });
    expect(story.progress.status).toBe("cancelling");
    story.tell(5010, { kind: "step.cancelled", step: at(0), ended: "by-force", reason: "enough" });
    story.tell(5010, { kind: "execution.cancelled", reason: "enough" });
    expect([story.progress.isEnded, story.progress.status, story.progress.done]).toEqual([true, "cancelled", 4]);
  });

  it("CANCEL-7 shows a pause on top of what it interrupts", () => {
    const story = new ScriptedEvents(["a"]);
    story.begin();
    story.tell(1, { kind: "execution.paused" });
    expect(story.progress.status).toBe("paused");
    story.tell(2, { kind: "execution.resumed" });
    expect(story.progress.status).toBe("running");
  });
});

describe("what events do not say", () => {
  it("P1 asks for a report when steps are added, and counts them when it has one", () => {
    const story = new ScriptedEvents(["deploy"]);
    story.begin();
    expect(story.progress.needsSnapshot).toBe(false);
    const children = { kind: "items" as const, count: 2, items: { kind: "inline" as const, json: [1, 2] } };
    story.tell(1, { kind: "step.expanded", step: at(0), children });
    expect(story.progress.needsSnapshot).toBe(true);
    story.progress.loadSteps(new ScriptedEvents(["deploy", "deploy/0", "deploy/1"]).report());
    expect([story.progress.total, story.progress.needsSnapshot]).toEqual([3, false]);
    expect(statuses(story)).toEqual({ deploy: "open", "deploy/0": "waiting", "deploy/1": "waiting" });
  });

  it("GRAPH-5 knows a disabled step by the report: no event speaks of it", () => {
    const story = new ScriptedEvents([]);
    story.progress.loadSteps(new ScriptedEvents(["off"]).report({ off: { status: "skipped" } }));
    expect(story.progress.step(0)).toMatchObject({ status: "skipped", skip: { kind: "disabled" } });
  });

  it("STATE-2 begins a new round as the report has it", () => {
    const story = new ScriptedEvents(["a", "b"]);
    story.begin();
    story.start(1, 0);
    story.succeed(2, 0);
    story.start(2, 1);
    story.fail(3, 1, "no");
    story.tell(3, { kind: "execution.failed", failure: failure("no"), step: at(1) });
    expect([story.progress.isEnded, story.progress.done]).toEqual([true, 2]);
    story.tell(100, { kind: "execution.reopened", round: 2 });
    expect([story.progress.isEnded, story.progress.needsSnapshot, story.progress.round]).toEqual([false, true, 2]);
    story.progress.resetFrom(story.report({ a: { status: "succeeded" } }));
    expect(statuses(story)).toEqual({ a: "succeeded", b: "waiting" });
    expect(story.progress.step(0)).toMatchObject({ startedAt: 1, endedAt: 2 });
    expect(story.progress.step(1)).not.toHaveProperty("startedAt");
  });

  it("P3 is not changed by events that it has seen", () => {
    const story = new ScriptedEvents(["a"]);
    story.begin();
    const started = story.start(1, 0);
    story.succeed(2, 0);
    expect(story.progress.apply(started)).toBe(false);
    expect(statuses(story)).toEqual({ a: "succeeded" });
    story.progress.seek(100);
    expect(story.progress.apply(story.event(3, { kind: "execution.paused" }))).toBe(false);
  });
});

describe("a step that runs again in a later round", () => {
  const undone = (): ScriptedEvents => {
    const story = new ScriptedEvents(["a", "z", "a/compensate"]);
    story.begin();
    story.start(10, 0);
    story.succeed(20, 0);
    story.fail(30, 1, "no");
    story.tell(30, { kind: "execution.compensating", steps: [at(0)] });
    story.start(40, 2);
    story.succeed(50, 2);
    story.tell(50, { kind: "execution.failed", failure: failure("no"), step: at(1) });
    return story;
  };

  it("FAIL-8 is undone when the report that its end asks for says so", () => {
    const story = undone();
    expect(story.progress.needsSnapshot).toBe(true);
    story.progress.loadSteps(story.report({ a: { undone: true }, "a/compensate": { undoes: at(0) } }));
    expect(story.progress.step(0)).toMatchObject({ status: "succeeded", undone: true, startedAt: 10 });
  });

  it.each(["waiting", "running", "succeeded"] as const)(
    "STATE-2 has the time of that round, wherever the report of its beginning has it: %s",
    (status) => {
      const story = undone();
      story.tell(5000, { kind: "execution.reopened", round: 2 });
      const { steps, ...report } = story.report({ a: { status } });
      story.progress.resetFrom({ ...report, steps: steps.slice(0, 2) });
      story.start(5001, 0);
      story.succeed(5004, 0);
      expect(story.progress.step(0)).toMatchObject({ startedAt: 5001, endedAt: 5004 });
      expect(story.progress.step(0)).not.toHaveProperty("undone");
      expect([story.progress.total, story.progress.step(2)]).toEqual([2, undefined]);
    },
  );

  it("STATE-2 a scope that goes on has the time since the round began", () => {
    const story = new ScriptedEvents(["each", "each/0"]);
    story.begin();
    story.progress.loadSteps(story.report({ "each/0": { parent: at(0) } }));
    const children = { kind: "items" as const, count: 1, items: { kind: "inline" as const, json: [1] } };
    story.tell(10, { kind: "step.expanded", step: at(0), children });
    story.fail(20, 1, "no");
    story.fail(20, 0, "no");
    story.tell(20, { kind: "execution.failed", failure: failure("no"), step: at(0) });
    story.tell(5000, { kind: "execution.reopened", round: 2 });
    story.start(5001, 1);
    story.succeed(5002, 1);
    story.succeed(5003, 0);
    expect(story.progress.step(0)).toMatchObject({ startedAt: 5000, endedAt: 5003 });
  });
});

describe("labels of items", () => {
  const labelled = (story: ScriptedEvents): void =>
    story.progress.loadSteps(story.report({ "each/0": { label: "cat.jpg" } }));

  it("BEYOND-1 come with a report, and stay whatever happens to the step", () => {
    const story = new ScriptedEvents(["each", "each/0"]);
    story.begin();
    labelled(story);
    expect(story.progress.step(1)).toMatchObject({ label: "cat.jpg", status: "waiting" });
    story.start(1, 1);
    story.fail(2, 1, "no");
    expect(story.progress.step(1)).toMatchObject({ label: "cat.jpg", status: "failed" });
    story.tell(3, { kind: "execution.failed", failure: failure("no"), step: at(1) });
    story.tell(4, { kind: "execution.reopened", round: 2 });
    story.progress.resetFrom(story.report());
    expect(story.progress.step(1)).toMatchObject({ label: "cat.jpg", status: "waiting" });
    expect([story.progress.label("each/0"), story.progress.label("each")]).toEqual(["cat.jpg", undefined]);
  });

  it("BEYOND-1 come with an event, too, and change no count", () => {
    const story = new ScriptedEvents(["each", "each/0"]);
    story.begin();
    const started = story.event(1, { kind: "step.started", step: at(1), attempt: 1, epoch: 1 });
    story.progress.apply({ ...started, label: "cat.jpg" });
    expect(story.progress.step(1)).toMatchObject({ name: "each/0", label: "cat.jpg", status: "running" });
    expect([story.progress.total, story.progress.count("running"), story.progress.count("waiting")]).toEqual([2, 1, 1]);
    labelled(story);
    expect(story.progress.step(1)).toMatchObject({ label: "cat.jpg", status: "running" });
  });
});

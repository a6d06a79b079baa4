import { epochMs, stepIndex } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { failure, mapStep, ScriptedEvents } from "../../test/scripted-events.ts";
import { executionJson } from "./execution-json.ts";
import { dueTime, skipReason } from "./shown-step.ts";
import { stepTable } from "./step-table.ts";
import { createPalette } from "../terminal/palette.ts";

const at = (index: number) => stepIndex(index);
const statuses = ({ execution }: ScriptedEvents): object =>
  Object.fromEntries(execution.steps.map(({ name, status }) => [name, status]));

/** `b` waits for `a`. */
function chain(): ScriptedEvents {
  const run = { kind: "run", script: "true" };
  const story = new ScriptedEvents([
    { id: "a", action: run, compensate: { action: run } },
    { id: "b", action: run, dependsOn: [{ step: "a", on: "succeeded" }] },
  ]);
  story.begin();
  return story;
}

describe("a followed execution", () => {
  it("EVENT-1 has the steps where the events have them, and counts them", () => {
    const story = new ScriptedEvents(["build", "test", "notes"]);
    story.begin();
    story.start(100, 0);
    expect(statuses(story)).toEqual({ build: "running", test: "queued", notes: "queued" });
    story.succeed(1300, 0);
    story.tell(1300, { kind: "step.skipped", step: at(2), reason: { kind: "condition" } });
    story.start(1300, 1);
    story.retry(1500, 1, "no luck", 2500);
    expect(statuses(story)).toEqual({ build: "succeeded", test: "retrying", notes: "skipped" });
    const { execution } = story;
    expect([execution.progress.ended, execution.progress.total, execution.status]).toEqual([2, 3, "running"]);
    const test = execution.step(1);
    expect(test).toMatchObject({ attempts: 1, startedAt: 1300, detail: { failure: failure("no luck") } });
    expect([dueTime(test), execution.sinceOf(1)]).toEqual([2500, 1500]);
    expect([...execution.active]).toEqual([1]);
  });

  it("STATE-4 keeps the time of the first attempt over retries, and no failure of an attempt before", () => {
    const story = new ScriptedEvents(["flaky"]);
    story.begin();
    story.start(10, 0);
    story.retry(20, 0, "no luck", 1020);
    story.start(1020, 0, 2);
    expect(story.execution.step(0)).toMatchObject({ attempts: 2, startedAt: 10, detail: { kind: "none" } });
    expect(story.execution.sinceOf(0)).toBe(1020);
    story.succeed(1100, 0);
    expect(story.execution.step(0)).toMatchObject({ attempts: 2, startedAt: 10, completedAt: 1100, durationMs: 1090 });
  });
});

describe("the status of a followed execution", () => {
  it("CANCEL-4 has the steps that end together, and the reason while it is cancelled", () => {
    const story = new ScriptedEvents(["a", "b", "c", "d"]);
    const { execution } = story;
    story.begin();
    story.start(5, 0);
    const cancelling = { mode: "abort", reason: "enough", grace: 5000 as never, compensate: false } as const;
    story.tell(10, { kind: "execution.cancelling", ...cancelling });
    story.tell(10, { kind: "steps.cancelled", steps: [[at(1), at(3)]], reason: "enough" });
    story.tell(10, { kind: "steps.cancelling", steps: [[at(0), at(0)]], reason: "enough", forceAt: epochMs(5010) });
    expect(statuses(story)).toEqual({ a: "cancelling", b: "cancelled", c: "cancelled", d: "cancelled" });
    expect([execution.status, execution.reason, execution.isEnded]).toEqual(["cancelling", "enough", false]);
    story.tell(5010, { kind: "step.cancelled", step: at(0), ended: "by-force", reason: "enough" });
    story.tell(5010, { kind: "execution.cancelled", reason: "enough" });
    expect([execution.status, execution.progress.ended, execution.endedAt]).toEqual(["cancelled", 4, 5010]);
  });

  it("CANCEL-7 FAIL-9 has a pause and a park on top of what they interrupt, and the cause only while it is parked", () => {
    const story = new ScriptedEvents(["a"]);
    const { execution } = story;
    story.begin();
    story.tell(1, { kind: "execution.paused" });
    expect(execution.status).toBe("paused");
    story.tell(2, { kind: "execution.parked", cause: "no-secret", reason: "no value for TOKEN" });
    expect([execution.status, execution.parkCause, execution.reason]).toEqual([
      "parked",
      "no-secret",
      "no value for TOKEN",
    ]);
    story.tell(3, { kind: "execution.resumed" });
    expect([execution.status, execution.parkCause, execution.reason]).toEqual(["running", undefined, undefined]);
  });

  it("EVENT-2 is not changed by events that it has folded", () => {
    const story = new ScriptedEvents(["a"]);
    story.begin();
    const started = story.start(1, 0);
    story.succeed(2, 0);
    expect(story.execution.apply(started)).toBe(false);
    expect(statuses(story)).toEqual({ a: "succeeded" });
  });
});

describe("a step without an attempt", () => {
  it("GRAPH-5 says of a disabled step that it is disabled, though no event speaks of it", () => {
    const story = new ScriptedEvents([{ id: "off", action: { kind: "run", script: "true" }, enabled: false }]);
    story.begin();
    expect(skipReason(story.execution.steps[0]!)).toEqual({ kind: "disabled" });
    expect(executionJson(story.execution, undefined)).toMatchObject({ steps: [{ skip: { kind: "disabled" } }] });
  });

  it("BEYOND-1 a step that ends without an attempt has no time in the table, and begins when it ends for programs", () => {
    const story = new ScriptedEvents(["meet"]);
    story.begin();
    story.succeed(7, 0);
    const table = stepTable(story.execution, { palette: createPalette(false), columns: 80, now: 9 });
    expect(table[1]).toBe("✓ meet  succeeded          -        -");
    expect(executionJson(story.execution, undefined)).toMatchObject({ steps: [{ startedAt: 7, durationMs: 0 }] });
  });
});

describe("a followed execution in a later round", () => {
  it("STATE-2 begins again with the round: steps that did not succeed wait, and have no times", () => {
    const story = chain();
    const { execution } = story;
    story.start(1, 0);
    story.succeed(2, 0);
    story.start(2, 1);
    story.fail(3, 1, "no");
    story.tell(3, { kind: "execution.failed", failure: failure("no"), step: at(1) });
    expect([execution.isEnded, execution.progress.ended, execution.failedStep]).toEqual([true, 2, "b"]);
    story.tell(100, { kind: "execution.reopened", round: 2 });
    expect([execution.isEnded, execution.round, execution.failedStep]).toEqual([false, 2, undefined]);
    expect([execution.beganAt, execution.endedAt]).toEqual([100, undefined]);
    expect(statuses(story)).toEqual({ a: "succeeded", b: "queued" });
    expect(execution.step(0)).toMatchObject({ startedAt: 1, completedAt: 2 });
    expect(execution.step(1)).not.toHaveProperty("startedAt");
  });

  it("FAIL-8 STATE-2 runs an undone step again, and leaves out the step that undid it", () => {
    const story = chain();
    const { execution } = story;
    story.start(10, 0);
    story.succeed(20, 0);
    story.fail(30, 1, "no");
    story.tell(30, { kind: "execution.failing", failure: failure("no"), step: at(1) });
    story.tell(30, { kind: "execution.compensating", steps: [at(0)] });
    story.start(40, 2);
    story.succeed(50, 2);
    story.tell(50, { kind: "execution.failed", failure: failure("no"), step: at(1) });
    expect(execution.steps.map(({ name, undone }) => [name, undone])).toEqual([
      ["a", true],
      ["b", undefined],
      ["a/compensate", undefined],
    ]);
    expect([execution.progress.ended, execution.progress.total, execution.undoCount, execution.notUndone]).toEqual([
      2,
      2,
      1,
      [],
    ]);
    story.tell(5000, { kind: "execution.reopened", round: 2 });
    expect([execution.progress.ended, execution.progress.total]).toEqual([0, 2]);
    story.start(5001, 0);
    story.succeed(5004, 0);
    expect(execution.steps.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(execution.steps[0]).toMatchObject({ startedAt: 5001, completedAt: 5004 });
    expect(execution.steps[0]).not.toHaveProperty("undone");
  });
});

describe("an undo that is tried again", () => {
  it("FAIL-8 has the steps that could not be undone, and goes on when the undo is tried again", () => {
    const story = chain();
    const { execution } = story;
    story.succeed(20, 0);
    story.tell(30, { kind: "execution.failing", failure: failure("no") });
    story.tell(30, { kind: "execution.compensating", steps: [at(0)] });
    story.fail(40, 2, "still there");
    story.tell(40, { kind: "execution.failed", failure: failure("no"), notUndone: [at(0)] });
    expect(execution.notUndone).toMatchObject([{ step: "a", failure: { message: "still there" } }]);
    story.tell(500, { kind: "execution.compensating", steps: [at(0)] });
    expect([execution.status, execution.isEnded, execution.beganAt]).toEqual(["failing", false, 500]);
    expect([execution.progress.total, execution.notUndone]).toEqual([2, []]);
  });
});

describe("a scope in a later round", () => {
  it("STATE-2 a scope that goes on has the time since the round began", () => {
    const story = new ScriptedEvents([mapStep("each")]);
    story.begin();
    story.open(10, 0, [1]);
    story.fail(20, 1, "no");
    story.fail(20, 0, "no");
    story.tell(20, { kind: "execution.failed", failure: failure("no"), step: at(0) });
    story.tell(5000, { kind: "execution.reopened", round: 2 });
    story.start(5001, 1);
    story.succeed(5002, 1);
    story.succeed(5003, 0);
    expect(story.execution.step(0)).toMatchObject({ startedAt: 5000, completedAt: 5003 });
  });
});

describe("labels of items", () => {
  it("BEYOND-1 are known by index and by name, in every round", () => {
    const story = new ScriptedEvents([mapStep("each"), "last"]);
    const { execution } = story;
    story.begin();
    expect(execution.labelNamed("each/0")).toBeUndefined();
    story.open(0, 0, ["cat.jpg", null]);
    expect([execution.labelOf(2), execution.labelOf(3), execution.labelOf(0)]).toEqual([
      "cat.jpg",
      undefined,
      undefined,
    ]);
    const named = (): unknown => ["each/0", "each/1", "each", "each/9"].map((name) => execution.labelNamed(name));
    expect(named()).toEqual(["cat.jpg", undefined, undefined, undefined]);
    story.fail(2, 2, "no");
    story.tell(3, { kind: "execution.failed", failure: failure("no"), step: at(0) });
    story.tell(4, { kind: "execution.reopened", round: 2 });
    expect(named()).toEqual(["cat.jpg", undefined, undefined, undefined]);
  });

  it("BEYOND-1 of items that the journal has by reference come when their value is loaded", () => {
    const story = new ScriptedEvents([mapStep("each")]);
    const { execution } = story;
    const hash = `sha256:${"1".repeat(64)}` as never;
    story.begin();
    const items = { kind: "stored" as const, hash, bytes: 9000 };
    story.tell(0, { kind: "step.expanded", step: at(0), children: { kind: "items", count: 1, items } });
    expect([execution.labelNamed("each/0"), execution.missingValues("last")]).toEqual([undefined, [hash]]);
    execution.addValues(new Map([[hash, ["cat.jpg"]]]));
    expect([execution.labelNamed("each/0"), execution.missingValues("all")]).toEqual(["cat.jpg", []]);
  });
});

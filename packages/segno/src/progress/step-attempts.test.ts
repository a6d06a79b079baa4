import { stepIndex, type Event } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { failure, mapStep, ScriptedEvents } from "../../test/scripted-events.ts";
import { scopeSummary } from "./scope-summary.ts";
import { toShownValue, withHiddenSecrets } from "./shown-value.ts";
import { expansionValue, lastCall, lastExpansion, listAttempts } from "./step-attempts.ts";

function eventsOf(...told: readonly { readonly event: Event }[]): readonly Event[] {
  return told.map(({ event }) => event);
}

describe("the attempts of a step", () => {
  it("STATE-4 have their times, and how each ended", () => {
    const story = new ScriptedEvents(["build", "test"]);
    story.begin();
    const events = eventsOf(
      story.start(0, 0),
      story.start(10, 1),
      story.retry(30, 0, "busy", 50),
      story.start(50, 0, 2),
      story.tell(70, { kind: "step.lost", step: stepIndex(0), reason: "the process ended" }),
      story.start(80, 0, 2),
      story.succeed(95, 0),
    );
    expect(listAttempts(events, 0)).toEqual([
      { round: 1, attempt: 1, startedAt: 0, endedAt: 30, outcome: "failed", failure: failure("busy"), dueAt: 50 },
      { round: 1, attempt: 2, startedAt: 50, endedAt: 70, outcome: "lost", reason: "the process ended" },
      { round: 1, attempt: 2, startedAt: 80, endedAt: 95, outcome: "succeeded" },
    ]);
    expect(listAttempts(events, 1)).toEqual([{ round: 1, attempt: 1, startedAt: 10, outcome: "running" }]);
  });

  it("STATE-9 belong to their round, and an end after the attempt changes nothing", () => {
    const story = new ScriptedEvents(["build"]);
    story.begin();
    const events = eventsOf(
      story.start(0, 0),
      story.fail(5, 0, "no"),
      story.tell(6, { kind: "execution.failed", failure: failure("no") }),
      story.tell(7, { kind: "execution.reopened", round: 2 }),
      story.start(8, 0),
      story.event(9, { kind: "step.expanded", step: stepIndex(0), children: { kind: "steps", steps: [] } }),
      story.event(12, { kind: "step.completed", step: stepIndex(0), output: { kind: "inline", json: 1 } }),
    );
    expect(listAttempts(events, 0).map(({ round, outcome, endedAt }) => [round, outcome, endedAt])).toEqual([
      [1, "failed", 5],
      [2, "expanded", 9],
    ]);
  });

  it("CANCEL-2 tell why they were skipped or cancelled", () => {
    const story = new ScriptedEvents(["build", "test"]);
    const events = eventsOf(
      story.event(0, { kind: "step.started", step: stepIndex(0), attempt: 1, epoch: 1 }),
      story.event(1, { kind: "step.started", step: stepIndex(1), attempt: 1, epoch: 1 }),
      story.event(2, {
        kind: "step.skipped",
        step: stepIndex(0),
        reason: { kind: "skipped-by-handler", message: "nothing to do" },
      }),
      story.event(3, { kind: "step.cancelled", step: stepIndex(1), ended: "by-force", reason: "enough" }),
    );
    expect(listAttempts(events, 0)).toMatchObject([{ outcome: "skipped", reason: "nothing to do", endedAt: 2 }]);
    expect(listAttempts(events, 1)).toMatchObject([{ outcome: "cancelled", reason: "enough", endedAt: 3 }]);
  });
});

describe("the input of a step", () => {
  it("DATA-1 is the call of its last round, with secrets hidden", () => {
    const story = new ScriptedEvents(["build"]);
    const started = { kind: "step.started", step: stepIndex(0), epoch: 1 } as const;
    const call = { kind: "inline", json: { input: { key: null, list: [1, null] } } } as const;
    const secrets = [
      { path: ["input", "key"], secret: "KEY" },
      { path: ["input", "list", 1], secret: "KEY" },
    ];
    const events = eventsOf(
      story.event(0, { ...started, attempt: 1, call, secrets }),
      story.event(1, { ...started, attempt: 2 }),
    );
    const found = lastCall(events, 0);
    expect(found?.call).toEqual(call);
    expect(withHiddenSecrets(call.json, found?.secrets ?? [])).toEqual({ input: { key: "***", list: [1, "***"] } });
    expect(lastCall(events, 1)).toBeUndefined();
  });

  it("DATA-11 is removed if the store does not have it", () => {
    const hash = `sha256:${"1".repeat(64)}` as never;
    const stored = { kind: "stored", hash, bytes: 4 } as const;
    expect(toShownValue(stored, new Map(), "removed")).toEqual({ kind: "removed" });
    expect(toShownValue(stored, new Map([[hash, null]]), "removed")).toEqual({ kind: "value", json: null });
    expect(toShownValue({ kind: "gathered" }, new Map(), "lost")).toBeUndefined();
  });
});

describe("a scope", () => {
  it("STATE-9 is folded to counts, and the failed items with their labels", () => {
    const story = new ScriptedEvents([mapStep("each")]);
    story.begin();
    const events = eventsOf(story.open(0, 0, ["a", "b", "c"]), story.start(1, 1), story.start(1, 2));
    story.succeed(2, 1);
    story.fail(3, 2, "torn");
    const expansion = lastExpansion(events, 0);
    expect(expansionValue(expansion)).toEqual({ kind: "inline", json: ["a", "b", "c"] });
    expect(scopeSummary(story.execution, 0, 3)).toMatchObject({
      items: 3,
      steps: 3,
      counts: { succeeded: 1, failed: 1 },
      failed: [{ name: "each/1", label: "b", failure: failure("torn") }],
    });
    expect(scopeSummary(story.execution, 1, undefined)).toBeUndefined();
  });
});

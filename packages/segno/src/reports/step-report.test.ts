import { describe, expect, it } from "vitest";

import { failure, mapStep, ScriptedEvents } from "../../test/scripted-events.ts";
import { HOSTILE_LABELS } from "../../test/hostile-labels.ts";
import { scopeSummary } from "../progress/scope-summary.ts";
import type { ShownAttempt } from "../progress/step-attempts.ts";
import type { StepInspection } from "../progress/step-inspection.ts";
import { createPalette } from "../terminal/palette.ts";
import { stepDocument } from "./step-document.ts";
import { stepReport } from "./step-report.ts";

const terminal = { palette: createPalette(false), columns: 80, printsInColor: false };
const options = { orphaned: false, now: 5000 };

function inspection({ execution }: ScriptedEvents, index: number, known: Partial<StepInspection>): StepInspection {
  return {
    step: execution.steps.find((step) => step.index === index)!,
    label: execution.labelOf(index),
    input: undefined,
    isInputAround: false,
    action: undefined,
    output: undefined,
    attempts: [],
    calls: [],
    artifacts: [],
    reasons: [],
    inside: undefined,
    log: { lines: [], total: 0 },
    ...known,
  };
}

function running(): ScriptedEvents {
  const story = new ScriptedEvents(["build"]);
  story.begin();
  story.start(1000, 0);
  return story;
}

describe("the report of a step that failed", () => {
  it("FAIL-1 STATE-8 says that a permanent failure is not tried again, and whose output it has", () => {
    const action = { kind: "run", script: "true" };
    const story = new ScriptedEvents([
      { id: "sign", action, retry: { attempts: 3 }, fallback: "self" },
      { id: "self", action },
    ]);
    story.begin();
    story.start(1000, 0);
    const permanent = { ...failure("no key"), class: "permanent" as const };
    story.tell(2000, { kind: "step.failed", step: 0 as never, failure: permanent });
    story.start(2000, 1);
    expect(story.execution.fallbackOf(0)).toBe(undefined);
    story.succeed(3000, 1);
    expect([story.execution.fallbackOf(0), story.execution.fallbackOf(1)]).toEqual(["self", undefined]);
    const shown = inspection(story, 0, { output: { kind: "value", json: "self-signed" }, outputOf: "self" });
    const text = stepReport(shown, story.execution, terminal, options);
    expect(text).toMatch(/, attempt 1, permanent, not tried again\n/u);
    expect(text).toContain('\noutput of its fallback `self`\n"self-signed"\n');
    expect(stepDocument(shown, story.execution, false)).toMatchObject({ output: "self-signed", outputOf: "self" });
  });
});

describe("the report of a step", () => {
  it("has its status, its times and its attempts", () => {
    const story = running();
    const attempts: readonly ShownAttempt[] = [
      { round: 1, attempt: 1, startedAt: 0, endedAt: 500, outcome: "lost", reason: "killed" },
      { round: 1, attempt: 2, startedAt: 1000, outcome: "running" },
    ];
    expect(stepReport(inspection(story, 0, { attempts }), story.execution, terminal, options).split("\n")).toEqual([
      "build running for 4s",
      `step of release ${story.execution.id}, started 1970-01-01T00:00:01.000Z, attempt 1 of 3`,
      "",
      "attempts",
      "  1  1970-01-01T00:00:00.000Z – 00:00:00.500Z  lost in 500ms: killed",
      "  2  1970-01-01T00:00:01.000Z  running for 4s",
      "",
    ]);
  });

  it("LEASE-5 calls a step lost that no process runs", () => {
    const story = running();
    const attempts: readonly ShownAttempt[] = [{ round: 1, attempt: 1, startedAt: 1000, outcome: "running" }];
    const orphan = { ...options, orphaned: true };
    const text = stepReport(inspection(story, 0, { attempts }), story.execution, terminal, orphan);
    expect(text).toMatch(/^build lost\n[^]*no process runs it\n[^]* {2}1 {2}\S+ {2}lost\n$/u);
  });

  it("is bounded: the last attempts and the last calls, and how many came before", () => {
    const story = running();
    const attempts = Array.from({ length: 50 }, (_, index) => ({
      round: 1,
      attempt: index + 1,
      startedAt: 0,
      endedAt: 1,
      outcome: "failed" as const,
      failure: failure("busy"),
    }));
    const calls = Array.from({ length: 10_000 }, (_, index) => ({
      name: `turn#${index}`,
      startedAt: 0 as never,
      completedAt: 1 as never,
      value: { kind: "value" as const, json: index },
    }));
    const known = inspection(story, 0, { attempts, calls });
    const text = stepReport(known, story.execution, terminal, options);
    expect(text).toMatch(/\nattempts\n {2}and 30 earlier; to print all: .*segno show \S+ build --json\n {2}31 {2}/u);
    expect(text).toMatch(/\nrecorded calls\n {2}and 9,960 earlier; to print all: .* --json\n {2}turn#9960 {2}/u);
    const document = stepDocument(known, story.execution, false);
    expect(document).toMatchObject({ attemptHistory: { length: 50 }, calls: { length: 10_000 } });
  });

  it.each(HOSTILE_LABELS)("DATA-9 takes no control character from the label %j", (label) => {
    const story = new ScriptedEvents([mapStep("each")]);
    story.begin();
    story.open(0, 0, [label]);
    story.start(1, 1);
    story.fail(2, 1, label);
    const inside = scopeSummary(story.execution, 0, 1);
    const attempts = [
      { round: 1, attempt: 1, startedAt: 1, outcome: "failed" as const, failure: failure(label, label) },
    ];
    for (const known of [inspection(story, 0, { inside }), inspection(story, 1, { attempts })]) {
      const text = stepReport(known, story.execution, terminal, options);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200f]/u);
    }
  });
});

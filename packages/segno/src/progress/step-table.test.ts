import { stepIndex } from "@segno/kernel";
import { describe, expect, it } from "vitest";

import { failure, ID, mapStep, ScriptedEvents } from "../../test/scripted-events.ts";
import { HOSTILE_LABELS } from "../../test/hostile-labels.ts";
import { createPalette } from "../terminal/palette.ts";
import { safeText } from "../terminal/safe-text.ts";
import { displayWidth } from "../terminal/text-layout.ts";
import { stepTable } from "./step-table.ts";
import { doneText } from "./step-tally.ts";
import { addressLines, failureLines, nextCommands, summaryLine } from "./summary.ts";

const palette = createPalette(false);
const options = { palette, columns: 80, now: 5000 };

function failedRelease(): ScriptedEvents {
  const story = new ScriptedEvents(["build", "test", "notes", "publish"]);
  story.begin();
  story.start(0, 0);
  story.succeed(1234, 0);
  story.tell(1234, { kind: "step.skipped", step: stepIndex(2), reason: { kind: "condition" } });
  story.start(1234, 1, 3);
  story.fail(3000, 1, "exit code 1\nsecond line");
  story.tell(3000, {
    kind: "steps.skipped",
    steps: [[stepIndex(3), stepIndex(3)]],
    reason: { kind: "dependency-failed", dependency: stepIndex(1) },
  });
  story.tell(3000, { kind: "execution.failed", failure: failure("exit code 1\nsecond line"), step: stepIndex(1) });
  return story;
}

describe("the table of steps", () => {
  it("EVENT-1 has how each ended, in how many attempts, how long it took, and why", () => {
    expect(stepTable(failedRelease().execution, options)).toEqual([
      "  step     status      attempts     time",
      "✓ build    succeeded          1     1.2s",
      "✗ test     failed             3     1.8s  exit code 1",
      "- notes    skipped            -        -  condition",
      "- publish  skipped            -        -  `test` did not succeed",
    ]);
  });

  it("shows what goes on as well", () => {
    const later = {
      id: "later",
      action: { kind: "run", script: "true" },
      dependsOn: [{ step: "s0", on: "succeeded" }],
    };
    const story = new ScriptedEvents(["build", "gate", later]);
    story.begin();
    story.tell(0, { kind: "step.suspended", step: stepIndex(1), wait: { kind: "signal", signal: "go" } });
    story.start(1000, 0);
    expect(stepTable(story.execution, options).slice(1)).toEqual([
      "▶ build  running            1       4s",
      "◷ gate   suspended          -       5s  waits for the signal `go`",
      "· later  waiting            -        -",
    ]);
  });

  it("leaves out what succeeded or waits before what did not, and counts it", () => {
    const story = new ScriptedEvents(Array.from({ length: 1000 }, (_, index) => `s${index}`));
    story.begin();
    for (let index = 0; index < 999; index++) story.succeed(1, index);
    story.fail(2, 999, "no");
    const lines = stepTable(story.execution, { ...options, rowsMax: 3 });
    expect(lines.map((line) => line.slice(0, 6).trim())).toEqual(["step", "✓ s0", "✓ s1", "✗ s999", "and"]);
    expect(lines.at(-1)).toBe("  and 997 more that succeeded or wait");
  });

  it("fits into a narrow window", () => {
    for (const line of stepTable(failedRelease().execution, { ...options, columns: 40 }))
      expect(displayWidth(line)).toBeLessThanOrEqual(40);
  });
});

describe("the table of steps inside a map", () => {
  const labelled = (label: string): ScriptedEvents => {
    const story = new ScriptedEvents([mapStep("each"), "last"]);
    story.begin();
    story.open(0, 0, [label, null]);
    story.start(0, 2);
    story.fail(1200, 2, "no luck");
    return story;
  };

  it("BEYOND-1 has the label of an item beside the name", () => {
    expect(stepTable(labelled("cat.jpg").execution, options)).toEqual([
      "  step           status      attempts     time",
      "▸ each           open               -        -",
      "✗ ├ 0 (cat.jpg)  failed             1     1.2s  no luck",
      "· └ 1            queued             -        -",
      "· last           queued             -        -",
    ]);
  });

  it("BEYOND-1 keeps its columns whatever the label is", () => {
    for (const label of HOSTILE_LABELS)
      for (const line of stepTable(labelled(label).execution, options)) {
        expect(displayWidth(line)).toBeLessThanOrEqual(80);
        expect(line).toBe(safeText(line));
      }
  });
});

describe("the table of steps inside others", () => {
  const inner = {
    action: { kind: "workflow", workflow: "inner@1" },
    compensate: { action: { kind: "run", script: "true" } },
    retry: undefined,
  };
  const nested = (isUndone: boolean = true): ScriptedEvents => {
    const story = new ScriptedEvents([mapStep("each", inner), "last"]);
    story.begin();
    story.open(0, 0, [null, null]);
    story.succeed(1, 3);
    story.tell(2, { kind: "execution.failing", failure: failure("it took too long") });
    story.tell(2, { kind: "execution.compensating", steps: [stepIndex(3)] });
    if (isUndone) story.succeed(2, 4);
    else story.fail(2, 4, "no");
    return story;
  };

  it("STATE-9 is a tree, depth first, with the rest of the name where the row above has its beginning", () => {
    expect(stepTable(nested().execution, options)).toEqual([
      "  step            status      attempts     time",
      "▸ each            open               -        -",
      "· ├ 0 → inner@1   queued             -        -",
      "↺ └ 1 → inner@1   undone             -        -",
      "✓   └ compensate  succeeded          -        -",
      "· last            queued             -        -",
    ]);
  });

  it("STATE-9 brings along what a chosen row stands below, and keeps to its limit", () => {
    const lines = stepTable(nested(false).execution, { ...options, rowsMax: 3 });
    expect(lines.map((line) => line.slice(0, 16).trimEnd())).toEqual([
      "  step",
      "▸ each",
      "✓ └ 1 → inner@1",
      "✗   └ compensate",
      "  and 2 more tha",
    ]);
    expect(stepTable(nested(false).execution, { ...options, rowsMax: 2 }).length).toBeLessThanOrEqual(4);
  });

  it("FAIL-8 counts what was undone apart, and undoings not at all", () => {
    const story = nested();
    expect(summaryLine(story.execution, palette)).toBe("release failing: 1 undone");
    expect(doneText(story.execution)).toBe("0 of 2 steps done, 1 of 2 items");
  });

  it("STATE-2 calls the steps of an execution that failed ended, because they may not have run", () => {
    const story = new ScriptedEvents(["build"]);
    story.begin();
    story.start(1, 0);
    story.fail(2, 0, "no");
    story.tell(2, { kind: "execution.failed", failure: failure("no"), step: stepIndex(0) });
    expect([story.execution.status, doneText(story.execution)]).toEqual(["failed", "1 of 1 steps ended"]);
  });

  it("STATE-9 comes with how such a step is called, unless the next command says it", () => {
    const story = nested();
    const here = { command: "segno", place: "" };
    expect(addressLines(story.execution, palette, here)).toEqual([
      `  name a step by its path: segno logs ${ID.slice(0, 18)} each/0`,
    ]);
    story.fail(3, 2, "no");
    story.tell(3, { kind: "step.failing", step: stepIndex(0), failure: failure("no"), child: stepIndex(2) });
    story.tell(3, { kind: "execution.failed", failure: failure("no"), step: stepIndex(0) });
    expect(addressLines(story.execution, palette, here)).toEqual([]);
    expect(addressLines(failedRelease().execution, palette, here)).toEqual([]);
  });
});

describe("the last words", () => {
  const next = { command: "segno", place: "" };

  it("say how it ended, and the whole message of what made it fail", () => {
    const { execution } = failedRelease();
    expect(summaryLine(execution, palette)).toBe("release failed in 3.0s: 1 succeeded, 1 failed, 2 skipped");
    expect(failureLines(execution, palette)).toEqual(["COMMAND_FAILED exit code 1", "  second line"]);
  });

  it("say what to type next: look, understand, try again", () => {
    expect(nextCommands(failedRelease().execution, next)).toEqual([
      `segno logs ${ID.slice(0, 18)} test`,
      "segno explain COMMAND_FAILED",
      `segno retry ${ID.slice(0, 18)}`,
    ]);
  });

  it("lead to the same journal", () => {
    const [first] = nextCommands(failedRelease().execution, { command: "npx segno", place: " --db x.db" });
    expect(first).toBe(`npx segno logs ${ID.slice(0, 18)} test --db x.db`);
  });

  it("name the step inside a scope that failed, not the scope", () => {
    const story = new ScriptedEvents([mapStep("deploy")]);
    story.begin();
    story.open(0, 0, [null]);
    story.fail(1, 1, "no");
    story.tell(1, { kind: "step.failing", step: stepIndex(0), failure: failure("no"), child: stepIndex(1) });
    story.fail(2, 0, "a child failed");
    story.tell(2, { kind: "execution.failed", failure: failure("a child failed", "ENOENT"), step: stepIndex(0) });
    expect(nextCommands(story.execution, next)).toEqual([
      `segno logs ${ID.slice(0, 18)} deploy/0`,
      `segno retry ${ID.slice(0, 18)}`,
    ]);
  });

  it.each([
    ["paused" as const, ["why", "resume", "cancel"]],
    ["running" as const, ["work", "watch"]],
  ])("fit where it is: %s", (status, verbs) => {
    const story = new ScriptedEvents(["a"]);
    story.begin();
    if (status === "paused") story.tell(1, { kind: "execution.paused" });
    expect(nextCommands(story.execution, next).map((line) => line.split(" ")[1])).toEqual(verbs);
  });
});

import { epochMs, stepIndex } from "@segno/kernel";
import type { WatchEvent } from "@segno/engine";
import { describe, expect, it } from "vitest";

import { failure, ID, mapStep, ScriptedEvents } from "../../test/scripted-events.ts";
import { createPalette } from "../terminal/palette.ts";
import { attemptText, lineText, progressLines } from "./progress-line.ts";

const at = (index: number) => stepIndex(index);
const palette = createPalette(false);

function readLines(story: ScriptedEvents, watched: WatchEvent): readonly string[] {
  return progressLines(watched, story.execution).map((line) => lineText(line, palette));
}

/** A story in which `build` has been running since 100 ms. */
function running(attempt: number = 1): ScriptedEvents {
  const story = new ScriptedEvents(["build", "test", "notes", "docs", "publish"]);
  story.begin();
  story.start(100, 0, attempt);
  return story;
}

describe("a line about a step", () => {
  it("STATE-10 says how it ended, how long it took and why", () => {
    const done = running();
    expect(readLines(done, done.succeed(1300, 0))).toEqual(["✓ build 1.2s"]);
    const late = running(2);
    expect(readLines(late, late.succeed(1300, 0))).toEqual(["✓ build 1.2s, attempt 2 of 3"]);
    const failed = running(3);
    expect(readLines(failed, failed.fail(4200, 0, "exit code 1\nmore of it"))).toEqual([
      "✗ build exit code 1 (attempt 3 of 3, 4.1s)",
    ]);
    const hopeless = running(2);
    const permanent = { ...failure("no such file"), class: "permanent" as const };
    expect(readLines(hopeless, hopeless.tell(4200, { kind: "step.failed", step: at(0), failure: permanent }))).toEqual([
      "✗ build no such file (attempt 2, permanent, not tried again, 4.1s)",
    ]);
  });

  it("FAIL-3 says of an attempt that failed when the next one comes", () => {
    const story = running();
    expect(readLines(story, story.retry(600, 0, "exit code 75", 1600))).toEqual([
      "↻ build attempt 1 of 3 failed: exit code 75; again in 1.0s",
    ]);
  });

  it("says nothing of attempts in all where nobody knows it", () => {
    expect([attemptText(1, undefined), attemptText(1, 3)]).toEqual(["attempt 1", "attempt 1 of 3"]);
  });

  it.each([
    [{ kind: "condition" as const }, "- notes skipped: condition"],
    [{ kind: "disabled" as const }, "- notes skipped: disabled"],
    [{ kind: "skipped-by-handler" as const, message: "nothing new" }, "- notes skipped: nothing new"],
    [{ kind: "dependency-failed" as const, dependency: at(1) }, "- notes skipped: `test` did not succeed"],
    [{ kind: "fallback-unused" as const, primary: at(1) }, "- notes skipped: `test` needed no fallback"],
    [{ kind: "failing" as const, message: "build failed" }, "- notes skipped: build failed"],
  ])("STATE-10 says why it was skipped: %s", (reason, line) => {
    const story = running();
    expect(readLines(story, story.tell(200, { kind: "step.skipped", step: at(2), reason }))).toEqual([line]);
  });

  it("CANCEL-5 says whether it ended by itself or by force", () => {
    const stopped = (ended: "itself" | "by-force", reason: string): readonly string[] => {
      const story = running();
      return readLines(story, story.tell(200, { kind: "step.cancelled", step: at(0), ended, reason }));
    };
    expect(stopped("itself", "")).toEqual(["■ build cancelled"]);
    expect(stopped("by-force", "`test` failed")).toEqual(["■ build ended by force: `test` failed"]);
  });

  it("is passing where a live region shows the same", () => {
    const story = running();
    expect(progressLines(story.start(200, 1), story.execution)).toMatchObject([{ step: "test", isPassing: true }]);
    const wait = { kind: "signal" as const, signal: "go", expiresAt: epochMs(60_300) };
    const waits = story.tell(300, { kind: "step.suspended", step: at(2), wait });
    expect(progressLines(waits, story.execution)).toMatchObject([{ step: "notes", isPassing: true }]);
    expect(readLines(story, waits)).toEqual(["◷ notes waits for the signal `go`, 1m00s left"]);
  });

  it("cannot steer the terminal, whatever a message holds", () => {
    const story = running();
    expect(readLines(story, story.fail(200, 0, "\u001b]0;owned\u0007\u202e"))).toEqual([
      "✗ build \\u001b]0;owned\\u0007\\u202e (100ms)",
    ]);
  });
});

describe("a line about an execution", () => {
  it("CANCEL-4 names a few steps that end together, and counts many", () => {
    const story = running();
    const some = story.tell(200, { kind: "steps.cancelled", steps: [[at(1), at(2)]], reason: "enough" });
    expect(readLines(story, some)).toEqual(["- test cancelled", "- notes cancelled"]);
    const reason = { kind: "failing" as const, message: "build failed" };
    const other = running();
    const many = other.tell(200, { kind: "steps.skipped", steps: [[at(1), at(4)]], reason });
    expect(readLines(other, many)).toEqual(["- 4 steps skipped: build failed"]);
  });

  it("CANCEL-7 FAIL-9 says that it stands still, why, and what to type", () => {
    const story = running();
    expect(readLines(story, story.tell(200, { kind: "execution.paused" }))).toEqual([
      `‖ paused; to resume it: segno resume ${ID}`,
    ]);
    const parked = story.tell(200, {
      kind: "execution.parked",
      cause: "no-agent",
      reason: "no agent `review` is registered",
    });
    expect(readLines(story, parked)).toEqual(["! parked: no agent `review` is registered"]);
  });

  it("FAIL-4 says why it fails where no step has said so", () => {
    const story = running();
    const timeout = failure("the execution took longer than 5 ms", "EXECUTION_TIMEOUT");
    expect(readLines(story, story.tell(200, { kind: "execution.failing", failure: timeout }))).toEqual([
      "✗ the execution took longer than 5 ms",
    ]);
    const other = running();
    const byStep = other.tell(200, { kind: "execution.failing", failure: failure("no"), step: at(0) });
    expect(readLines(other, byStep)).toEqual([]);
  });
});

describe("lines about steps of an item", () => {
  const story = (): ScriptedEvents => {
    const delivery = new ScriptedEvents([mapStep("each")]);
    delivery.begin();
    delivery.open(0, 0, ["cat\u001b[2J.jpg", null]);
    return delivery;
  };
  const shown = (watched: WatchEvent, { execution }: ScriptedEvents): readonly string[] =>
    progressLines(watched, execution).map((line) => lineText(line, createPalette(false)));

  it("BEYOND-1 have its label beside the name, made safe", () => {
    const delivery = story();
    expect(shown(delivery.start(0, 1), delivery)).toEqual(["▶ each/0 (cat\\u001b[2J.jpg)"]);
    expect(shown(delivery.fail(1200, 1, "no luck"), delivery)).toEqual(["✗ each/0 (cat\\u001b[2J.jpg) no luck (1.2s)"]);
    expect(shown(delivery.start(1200, 2), delivery)).toEqual(["▶ each/1"]);
  });

  it("BEYOND-1 have it where steps end together, too", () => {
    const delivery = story();
    const watched = delivery.tell(1, {
      kind: "steps.cancelled",
      steps: [[stepIndex(1), stepIndex(2)]],
      reason: "enough",
    });
    expect(shown(watched, delivery)).toEqual(["- each/0 (cat\\u001b[2J.jpg) cancelled", "- each/1 cancelled"]);
  });
});

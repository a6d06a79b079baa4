import { epochMs, stepIndex } from "@segno/kernel";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { SmallTerminal } from "../../test/small-terminal.ts";
import { ID, ScriptedEvents } from "../../test/scripted-events.ts";
import { createPalette } from "../terminal/palette.ts";
import { JsonlView } from "./jsonl-view.ts";
import { liveRegion } from "./live-region.ts";
import { LiveView } from "./live-view.ts";
import { logText, type LoggedLine } from "./log-text.ts";
import { PlainView } from "./plain-view.ts";
import type { View } from "./view.ts";

const palette = createPalette(false);
const common = { palette, color: false, quiet: false, isShared: false };
const line = (text: string, more: Partial<LoggedLine> = {}): LoggedLine => ({
  step: "build",
  attempt: 1,
  stream: "stdout",
  at: 5,
  text,
  ...more,
});

/** The same short story for every view. */
function tell(view: View): ScriptedEvents {
  const story = new ScriptedEvents(["build", "test"]);
  story.begin();
  view.onEvent(story.start(0, 0), story.execution);
  view.onLines(ID, [line("compiling"), line("\u001b]0;owned\u0007done")]);
  view.onEvent(story.succeed(1200, 0), story.execution);
  view.onEvent(story.start(1200, 1), story.execution);
  return story;
}

describe("the progress that a step reports", () => {
  const progress = {
    step: "test",
    attempt: 1,
    epoch: 1,
    at: epochMs(2000),
    fraction: 0.305,
    done: 61,
    total: 200,
    message: "a\u001b[2Jb",
  };

  it("EVENT-7 is in the live region, in the sign of life and in the lines for programs, while its attempt runs", () => {
    vi.useFakeTimers({ now: 0 });
    const lines: string[] = [];
    const view = new PlainView({ ...common, now: Date.now, write: (text) => lines.push(text) });
    const story = tell(view);
    expect([story.execution.addProgress(progress), story.execution.addProgress(progress)]).toEqual([true, false]);
    vi.advanceTimersByTime(30_000);
    expect(lines.at(-1)).toBe("… running for 30s, 1 of 2 done: test running 28s 30% (61 of 200) a\\u001b[2Jb\n");
    view.close();
    vi.useRealTimers();
    const region = { now: 30_000, columns: 80, rows: 20, palette: createPalette(false) };
    expect(liveRegion([story.execution], region)[0]).toContain("30% (61 of 200) a\\u001b[2Jb");
    story.execution.addProgress({ ...progress, epoch: 2 });
    expect(liveRegion([story.execution], region)[0]).not.toContain("%");
    const printed: string[] = [];
    new JsonlView({ print: (text) => printed.push(text), report: () => undefined, quiet: false }).onProgress(
      ID,
      progress,
    );
    expect(JSON.parse(printed[0]!)).toMatchObject({
      kind: "step.progressed",
      executionId: ID,
      step: "test",
      fraction: 0.305,
    });
  });
});

describe("the view of who is no terminal", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => void vi.useRealTimers());

  it("EVENT-5 has a line for everything, and a sign of life every 30 seconds", () => {
    const lines: string[] = [];
    const view = new PlainView({ ...common, now: Date.now, write: (text) => lines.push(text) });
    tell(view);
    expect(lines.splice(0).join("")).toBe("▶ build\nbuild │ compiling\nbuild │ done\n✓ build 1.2s\n▶ test\n");
    vi.advanceTimersByTime(61_000);
    expect(lines).toEqual([
      "… running for 30s, 1 of 2 done: test running 28s\n",
      "… running for 1m00s, 1 of 2 done: test running 58s\n",
    ]);
    view.close();
    vi.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(2);
  });

  it("leaves out what steps write where that is wanted, and names executions where there are several", () => {
    const lines: string[] = [];
    const view = new PlainView({
      ...common,
      quiet: true,
      isShared: true,
      now: Date.now,
      write: (text) => lines.push(text),
    });
    tell(view);
    view.close();
    expect(lines.join("")).toBe("▶ release build\n✓ release build 1.2s\n▶ release test\n");
  });
});

function openLive(terminal: SmallTerminal, quiet: boolean = false, isShared: boolean = false) {
  let tick = (): void => undefined;
  let now = 1300;
  const view = new LiveView({
    ...common,
    quiet,
    isShared,
    window: terminal,
    now: () => now,
    every: (_, call) => {
      tick = call;
      return () => undefined;
    },
  });
  const tickAt = (at: number): void => {
    now = at;
    tick();
  };
  return { view, tick: tickAt };
}

describe("the view in a terminal", () => {
  it("V1 gathers what comes in between two frames", () => {
    const terminal = new SmallTerminal();
    const { view, tick } = openLive(terminal);
    tell(view);
    expect(terminal.writes).toBe(0);
    tick(1300);
    expect(terminal.writes).toBe(1);
    expect(terminal.text).toEqual([
      "build │ compiling",
      "build │ done",
      "✓ build 1.2s",
      "⠸ test  0s",
      "━━━━━━━━━━──────────  1 of 2, 1s",
    ]);
  });

  it("V2 leaves only what scrolled by, and gives the cursor back", () => {
    const terminal = new SmallTerminal();
    const { view, tick } = openLive(terminal, true);
    const story = tell(view);
    tick(1300);
    expect(terminal.isCursorHidden).toBe(true);
    view.suspend();
    expect([terminal.text, terminal.isCursorHidden]).toEqual([["✓ build 1.2s"], false]);
    tick(1400);
    view.onEvent(story.fail(1500, 1, "exit code 1"), story.execution);
    view.close();
    view.close();
    view.printNote("later");
    expect(terminal.text).toEqual(["✓ build 1.2s", "✗ test exit code 1 (300ms)", "later"]);
    expect(terminal.isCursorHidden).toBe(false);
  });
});

describe("the region of a view", () => {
  it("names the execution of each step where there may be several", () => {
    const terminal = new SmallTerminal();
    const { view, tick } = openLive(terminal, true, true);
    tell(view);
    tick(1300);
    expect(terminal.text).toContain("⠸ release test  0s");
  });

  it("L1 S4 draws itself anew when the window changes", () => {
    const terminal = new SmallTerminal(80);
    const { view, tick } = openLive(terminal, true);
    tell(view);
    tick(1300);
    terminal.resize(20, 4);
    tick(1400);
    expect(terminal.text).toEqual(["✓ build 1.2s", "⠼ test  0s", "1 of 2, 1s"]);
    view.close();
  });

  it("draws no region when nothing goes on any more", () => {
    const terminal = new SmallTerminal();
    const { view, tick } = openLive(terminal, true);
    const story = tell(view);
    story.succeed(1300, 1);
    view.onEvent(
      story.tell(1300, { kind: "execution.completed", output: { kind: "inline", json: null } }),
      story.execution,
    );
    tick(1400);
    expect(terminal.text).toEqual(["✓ build 1.2s"]);
    view.close();
  });
});

describe("the view of a program", () => {
  it("EVENT-1 is one line of JSON an event, with names and without escapes", () => {
    const lines: string[] = [];
    const view = new JsonlView({ print: (text) => lines.push(text), report: () => undefined, quiet: false });
    tell(view);
    expect(lines.join("")).not.toContain("\u001b");
    const events = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(events.every(({ schemaVersion }) => schemaVersion === 1)).toBe(true);
    expect(events.map(({ kind, step }) => [kind, step])).toEqual([
      ["step.started", "build"],
      ["step.wrote", "build"],
      ["step.wrote", "build"],
      ["step.completed", "build"],
      ["step.started", "test"],
    ]);
    expect(events[0]).toMatchObject({ executionId: ID, seq: 4, at: 0, data: { attempt: 1, epoch: 1 } });
    expect(events[0]!["data"]).not.toHaveProperty("step");
  });

  it("EVENT-1 has names where the journal has places", () => {
    const lines: string[] = [];
    const view = new JsonlView({ print: (text) => lines.push(text), report: () => undefined, quiet: false });
    const story = new ScriptedEvents(["build", "test", "ship"]);
    const range = [stepIndex(1), stepIndex(2)] as const;
    const reason = { kind: "dependency-failed", dependency: stepIndex(0) } as const;
    const skipped = story.tell(0, { kind: "steps.skipped", steps: [range], reason });
    view.onEvent({ ...skipped, steps: ["test", "ship"], status: "skipped", cause: "build" });
    const { steps, cause, data } = JSON.parse(lines[0]!) as Record<string, unknown>;
    expect([steps, cause, data]).toEqual([["test", "ship"], "build", { reason: { kind: "dependency-failed" } }]);
  });
});

describe("a line that a step wrote", () => {
  it("says where something was left out", () => {
    expect(logText(line("", { cut: { kind: "attempt", bytes: 12_345_678 } }), common)).toBe("… 12.3 MB left out");
    expect(logText(line("abc", { cut: { kind: "line", bytes: 1 } }), { ...common, prefix: "build" })).toBe(
      "build │ abc … 1 byte left out",
    );
  });

  it("T1 keeps its colours where colours are wanted, and its prefix is safe", () => {
    const red = line("\u001b[31mred");
    expect(logText(red, { ...common, color: true, prefix: "a\u001bb" })).toBe("a\\u001bb │ \u001b[31mred\u001b[0m");
    expect(logText(red, common)).toBe("red");
  });
});

describe("steps that end together", () => {
  it("CANCEL-4 are one line in every view", () => {
    const lines: string[] = [];
    const view = new PlainView({ ...common, now: Date.now, write: (text) => lines.push(text) });
    const story = new ScriptedEvents(Array.from({ length: 100 }, (_, index) => `s${index}`));
    story.begin();
    const reason = { kind: "failing" as const, message: "build failed" };
    const steps = [[stepIndex(1), stepIndex(99)]] as const;
    view.onEvent(story.tell(1, { kind: "steps.skipped", steps, reason }), story.execution);
    view.close();
    expect(lines).toEqual(["- 99 steps skipped: build failed\n"]);
  });
});

describe("what steps of an item write", () => {
  const written = [line("hello", { step: "each/0", label: "cat\n.jpg" }), line("hello", { step: "each/1" })];

  it("BEYOND-1 is shown with its label, made safe", () => {
    const lines: string[] = [];
    using stack = new DisposableStack();
    const view = new PlainView({ ...common, now: () => 0, write: (text) => lines.push(text) });
    stack.defer(() => view.close());
    view.onLines(ID, written);
    expect(lines).toEqual(["each/0 (cat\\n.jpg) │ hello\n", "each/1 │ hello\n"]);
  });

  it("BEYOND-1 has its label in a field of its own for programs", () => {
    const lines: string[] = [];
    const view = new JsonlView({ quiet: false, report: () => undefined, print: (text) => lines.push(text) });
    view.onLines(ID, written);
    expect(lines.map((text) => (JSON.parse(text) as LoggedLine).label)).toEqual(["cat\n.jpg", undefined]);
  });
});

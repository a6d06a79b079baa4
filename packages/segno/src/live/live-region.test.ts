import { epochMs, stepIndex } from "@segno/kernel";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { mapStep, ScriptedEvents } from "../../test/scripted-events.ts";
import { createPalette } from "../terminal/palette.ts";
import { displayWidth } from "../terminal/text-layout.ts";
import { liveRegion, type RegionOptions } from "./live-region.ts";

const OPTIONS: RegionOptions = { now: 3000, columns: 80, rows: 24, palette: createPalette(false) };

function stories(): ScriptedEvents {
  const story = new ScriptedEvents(["build", "flaky", "gate", "nap", "lint", "docs"]);
  story.begin();
  story.start(0, 0);
  story.tell(0, { kind: "step.suspended", step: stepIndex(2), wait: { kind: "signal", signal: "go" } });
  story.tell(0, { kind: "step.suspended", step: stepIndex(3), wait: { kind: "timer", dueAt: epochMs(63_000) } });
  story.start(1000, 1, 2);
  story.start(1000, 4);
  story.retry(2000, 4, "exit code 75", 6500);
  story.succeed(2500, 5);
  return story;
}

const wide = (count: number): ScriptedEvents => {
  const story = new ScriptedEvents(Array.from({ length: count }, (_, index) => `step-${index}`));
  story.begin();
  for (let index = 0; index < count; index++) story.start(0, index);
  return story;
};

describe("the live region", () => {
  it("L3 shows what runs, what waits and for what, and a bar of done and total", () => {
    expect(liveRegion([stories().execution], OPTIONS)).toEqual([
      "⠋ build  3s",
      "⠋ flaky  2s  attempt 2 of 3",
      "↻ lint   again in 4s, attempt 1 of 3 failed: exit code 75",
      "◷ gate   waits for the signal `go`",
      "◷ nap    waits 1m00s",
      "━━━─────────────────  1 of 6, 3s",
    ]);
  });

  it("L3 says what is out of the ordinary", () => {
    const story = stories();
    story.fail(2600, 0, "no");
    story.tell(2600, { kind: "execution.paused" });
    expect(liveRegion([story.execution], OPTIONS).at(-1)).toBe("━━━━━━──────────────  2 of 6, 1 failed, paused, 3s");
  });

  it("L1 has at most ten lines, and counts what does not fit", () => {
    const lines = liveRegion([wide(10_000).execution], OPTIONS);
    expect(lines).toHaveLength(10);
    expect(lines[8]).toBe("  and 9,992 more");
    expect(lines[9]).toMatch(/0 of 10,000, 3s$/u);
    expect(liveRegion([wide(9).execution], OPTIONS)).toHaveLength(10);
    expect(liveRegion([wide(9).execution], OPTIONS).join("\n")).not.toContain("more");
  });

  it("L1 leaves a small window room for the rest", () => {
    const { execution } = wide(20);
    expect(liveRegion([execution], { ...OPTIONS, rows: 6 })).toHaveLength(4);
    expect(liveRegion([execution], { ...OPTIONS, rows: 4 })).toEqual([
      "  and 20 more",
      "────────────────────  0 of 20, 3s",
    ]);
    expect(liveRegion([execution], { ...OPTIONS, rows: 1 })).toHaveLength(1);
  });

  it("L2 is narrower than the window, whatever the names hold", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "世", "\u001b", "é", "-"), minLength: 1, maxLength: 70 });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), fc.integer({ min: 10, max: 130 }), (names, columns) => {
        const story = new ScriptedEvents(names);
        story.begin();
        names.forEach((_, index) => story.start(0, index, 2));
        for (const line of liveRegion([story.execution], { ...OPTIONS, columns })) {
          expect(displayWidth(line)).toBeLessThan(columns);
          expect(line).not.toContain("\u001b");
        }
      }),
    );
  });
});

describe("the live region of many steps or executions", () => {
  it("X2 reads only as many of the active steps as it shows", () => {
    const { execution } = wide(10_000);
    const reads = [vi.spyOn(execution, "step"), vi.spyOn(execution, "statusOf"), vi.spyOn(execution, "labelOf")];
    liveRegion([execution], OPTIONS);
    for (const read of reads) expect(read.mock.calls.length).toBe(8);
  });

  it("names the executions where there are several", () => {
    const toLabel = ({ workflow }: { workflow: string }): string => workflow;
    const lines = liveRegion([wide(1).execution, wide(2).execution], { ...OPTIONS, label: toLabel });
    expect(lines).toEqual([
      "⠋ release step-0  3s",
      "⠋ release step-0  3s",
      "⠋ release step-1  3s",
      "────────────────────  0 of 3 in 2 executions",
    ]);
  });
});

describe("the live region of a map", () => {
  it("BEYOND-1 has the label of an item beside the name of its step, as far as there is room", () => {
    const story = new ScriptedEvents([mapStep("each")]);
    story.begin();
    const long = "https://example.com/pictures/of/animals/cat.jpg";
    story.open(0, 0, ["cat.jpg", long]);
    for (const index of [1, 2]) story.start(0, index);
    expect(liveRegion([story.execution], OPTIONS).slice(0, 2)).toEqual([
      "⠋ each/0 (cat.jpg)                  3s",
      "⠋ each/1 (https://exa…als/cat.jpg)  3s",
    ]);
  });
});

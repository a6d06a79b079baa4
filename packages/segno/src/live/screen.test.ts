import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { SmallTerminal } from "../../test/small-terminal.ts";
import { Screen } from "./screen.ts";

describe("the screen", () => {
  it("S1 S2 draws a region below what scrolls by, and leaves nothing of it", () => {
    const terminal = new SmallTerminal();
    const screen = new Screen(terminal);
    screen.draw(["one"], ["running a", "bar"]);
    expect([terminal.text, terminal.isCursorHidden]).toEqual([["one", "running a", "bar"], true]);
    screen.draw(["two", "three"], ["bar"]);
    expect(terminal.text).toEqual(["one", "two", "three", "bar"]);
    screen.clear();
    expect([terminal.text, terminal.isCursorHidden]).toEqual([["one", "two", "three"], false]);
  });

  it("S3 writes once a frame, and not at all when nothing has changed", () => {
    const terminal = new SmallTerminal();
    const screen = new Screen(terminal);
    screen.clear();
    expect(terminal.writes).toBe(0);
    screen.draw(["one"], ["bar"]);
    screen.draw([], ["bar"]);
    expect(terminal.writes).toBe(1);
  });

  it("S4 clears a region that a narrower window has folded", () => {
    const terminal = new SmallTerminal(40);
    const screen = new Screen(terminal);
    screen.draw(["one"], ["x".repeat(39), "世".repeat(15)]);
    terminal.columns = 16;
    screen.draw(["two"], ["bar"]);
    expect(terminal.text).toEqual(["one", "two", "bar"]);
  });

  it("S1 S4 loses no line, whatever is drawn and however the window changes", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "世", "é"), minLength: 1, maxLength: 60 });
    const frame = fc.record({
      lines: fc.array(word, { maxLength: 3 }),
      region: fc.array(word, { maxLength: 4 }),
      columns: fc.integer({ min: 5, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), (frames) => {
        const terminal = new SmallTerminal(50);
        const screen = new Screen(terminal);
        for (const { lines, region, columns } of frames) {
          terminal.columns = columns;
          screen.draw(
            lines,
            region.map((line) => line.slice(0, Math.floor((columns - 1) / 2))),
          );
        }
        screen.clear();
        expect(terminal.text).toEqual(frames.flatMap(({ lines }) => lines));
        expect(terminal.isCursorHidden).toBe(false);
      }),
    );
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { paintedLine } from "./painted-line.ts";
import { displayWidth } from "./text-layout.ts";

const loud = (text: string): string => `<${text}>`;

describe("a painted line", () => {
  it("is cut by columns, and colours stay around what is left", () => {
    const segments = [{ text: "ab " }, { text: "世界世界", paint: loud }, { text: "never" }];
    expect(paintedLine(segments, 40)).toBe("ab <世界世界>never");
    expect(paintedLine(segments, 8)).toBe("ab <世界…>");
    expect(paintedLine(segments, 3)).toBe("ab ");
    expect(paintedLine(segments, 2)).toBe("a…");
  });

  it("is never wider than the window", () => {
    const segment = fc.record({ text: fc.string({ unit: fc.constantFrom("a", " ", "世", "é", "🧹"), maxLength: 12 }) });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 6 }), fc.integer({ min: 2, max: 40 }), (segments, width) => {
        expect(displayWidth(paintedLine(segments, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

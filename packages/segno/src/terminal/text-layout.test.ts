import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { displayWidth, flowItems, pad, shorten, shortenMiddle, wrapText } from "./text-layout.ts";

describe("the width of text", () => {
  it.each([
    ["plain", 5],
    ["Grüße", 5],
    ["世界", 4],
    ["e\u0301", 1],
    ["🧹", 2],
  ])("%s takes %i columns", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it("counts when it is filled up or cut", () => {
    expect(pad("世", 4)).toBe("世  ");
    expect(shorten("世界世界", 5)).toBe("世界…");
    expect(shorten("short", 5)).toBe("short");
    expect(shorten("世界", 2)).toBe("…");
  });
});

describe("lines", () => {
  it("break between words", () => {
    expect(wrapText("one two three", 8)).toEqual(["one two", "three"]);
  });

  it("break inside a word that is too long, and lose nothing", () => {
    expect(wrapText("a 1234567890 b", 4)).toEqual(["a", "1234", "5678", "90 b"]);
  });

  it("end even where not one letter fits", () => {
    expect(wrapText("世界", 1)).toEqual(["世", "界"]);
  });

  it("keep items whole as long as they can", () => {
    expect(flowItems(["after build", "uses 1 gpu", "3 attempts"], " · ", 24)).toEqual([
      "after build · uses 1 gpu",
      "3 attempts",
    ]);
    expect(flowItems([], " · ", 24)).toEqual([]);
  });
});

describe("text that is squeezed", () => {
  it("loses its middle, and keeps both ends", () => {
    expect(shortenMiddle("cat.jpg", 7)).toBe("cat.jpg");
    expect(shortenMiddle("https://example.com/cat.jpg", 12)).toBe("https:…t.jpg");
    expect(shortenMiddle("漢字漢字", 6)).toBe("漢…字");
    expect(shortenMiddle("cat.jpg", 1)).toBe("…");
  });

  it("is never wider than it may be, and never cut through a letter", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        expect(displayWidth(shortenMiddle(text, width))).toBeLessThanOrEqual(width);
        expect(shortenMiddle(text, width).isWellFormed()).toBe(true);
      }),
    );
  });
});

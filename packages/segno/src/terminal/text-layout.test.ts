import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { displayWidth, flowed, padded, shortened, squeezed, wrapped } from "./text-layout.ts";

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
    expect(padded("世", 4)).toBe("世  ");
    expect(shortened("世界世界", 5)).toBe("世界…");
    expect(shortened("short", 5)).toBe("short");
    expect(shortened("世界", 2)).toBe("…");
  });
});

describe("lines", () => {
  it("break between words", () => {
    expect(wrapped("one two three", 8)).toEqual(["one two", "three"]);
  });

  it("break inside a word that is too long, and lose nothing", () => {
    expect(wrapped("a 1234567890 b", 4)).toEqual(["a", "1234", "5678", "90 b"]);
  });

  it("end even where not one letter fits", () => {
    expect(wrapped("世界", 1)).toEqual(["世", "界"]);
  });

  it("keep items whole as long as they can", () => {
    expect(flowed(["after build", "uses 1 gpu", "3 attempts"], " · ", 24)).toEqual([
      "after build · uses 1 gpu",
      "3 attempts",
    ]);
    expect(flowed([], " · ", 24)).toEqual([]);
  });
});

describe("text that is squeezed", () => {
  it("loses its middle, and keeps both ends", () => {
    expect(squeezed("cat.jpg", 7)).toBe("cat.jpg");
    expect(squeezed("https://example.com/cat.jpg", 12)).toBe("https:…t.jpg");
    expect(squeezed("漢字漢字", 6)).toBe("漢…字");
    expect(squeezed("cat.jpg", 1)).toBe("…");
  });

  it("is never wider than it may be, and never cut through a letter", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        expect(displayWidth(squeezed(text, width))).toBeLessThanOrEqual(width);
        expect(squeezed(text, width).isWellFormed()).toBe(true);
      }),
    );
  });
});

import { describe, expect, it } from "vitest";

import { displayWidth, flowed, padded, shortened, wrapped } from "./text-layout.ts";

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

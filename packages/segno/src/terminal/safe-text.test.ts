import { describe, expect, it } from "vitest";

import { safeJson, safeJsonLine, safeLines, safeText } from "./safe-text.ts";

describe("text for a terminal", () => {
  it.each([
    ["a colour", "\u001b[31mred", "\\u001b[31mred"],
    ["a title", "\u001b]0;owned\u0007", "\\u001b]0;owned\\u0007"],
    ["an 8-bit sequence", "\u009b31m", "\\u009b31m"],
    ["letters that run backwards", "a\u202eb", "a\\u202eb"],
    ["a line separator", "a\u2028b", "a\\u2028b"],
    ["half of a pair", "a\ud800b", "a\\ud800b"],
    ["an end of line", "a\r\nb\tc", "a\\r\\nb\\tc"],
  ])("shows %s instead of obeying it", (_, text, shown) => {
    expect(safeText(text)).toBe(shown);
  });

  it("leaves letters of every language and emoji alone", () => {
    const text = "Grüße, 世界, नमस्ते 👩‍💻";
    expect(safeText(text)).toBe(text);
  });

  it("keeps lines as lines where lines are meant", () => {
    expect(safeLines("a\n\u001bb")).toBe("a\n\\u001bb");
  });
});

describe("JSON for a terminal", () => {
  it("holds no control character and parses to the same value", () => {
    const value = { text: "\u001b[31m \u009b \u202e \u2028 \ud800 \n" };
    const json = safeJson(value);
    // oxlint-disable-next-line no-control-regex
    expect(json).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/u);
    expect(JSON.parse(json)).toEqual(value);
  });

  it("fits on one line where a line is one value", () => {
    const value = { text: "a\nb\u2028c", list: [1, { deep: "\u001b" }] };
    expect(safeJsonLine(value)).not.toMatch(/[\n\u2028]/u);
    expect(JSON.parse(safeJsonLine(value))).toEqual(value);
  });
});

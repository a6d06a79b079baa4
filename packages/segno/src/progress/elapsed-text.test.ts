import { describe, expect, it } from "vitest";

import { countdownText, elapsedText, tickingText } from "./elapsed-text.ts";

describe("a time for people", () => {
  it.each([
    [-5, "0ms"],
    [0, "0ms"],
    [999, "999ms"],
    [1000, "1.0s"],
    [1249, "1.2s"],
    [59_940, "59.9s"],
    [59_960, "1m00s"],
    [185_000, "3m05s"],
    [3_599_400, "59m59s"],
    [3_599_600, "1h00m"],
    [7_620_000, "2h07m"],
    [4 * 86_400_000 + 2 * 3_600_000, "4d02h"],
  ])("of %i ms is %s", (ms, text) => {
    expect(elapsedText(ms)).toBe(text);
  });

  it.each([
    [999, "0s"],
    [59_999, "59s"],
    [61_900, "1m01s"],
  ])("that goes on after %i ms is %s", (ms, text) => {
    expect(tickingText(ms)).toBe(text);
  });

  it.each([
    [1, "1s"],
    [1001, "2s"],
    [0, "0s"],
    [-1, "0s"],
  ])("that is left with %i ms is %s", (ms, text) => {
    expect(countdownText(ms)).toBe(text);
  });
});

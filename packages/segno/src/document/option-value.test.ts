import { describe, expect, it } from "vitest";

import { duration, wholeNumber } from "./option-value.ts";

describe("the value of an option", () => {
  it("CONTRACT-7 is a duration as in contracts", () => {
    expect(["500ms", "30s", "1h30m", "2d"].map(duration)).toEqual([500, 30_000, 5_400_000, 172_800_000]);
    for (const text of ["", "5", "0s", "1.5h", "-3s", "s", "5 s"])
      expect(() => duration(text)).toThrow("expected a duration");
  });

  it("is a whole number within its range", () => {
    expect(["1", "007", "20"].map(wholeNumber(1, 20))).toEqual([1, 7, 20]);
    expect(wholeNumber(-5)("-5")).toBe(-5);
    for (const text of ["", "0", "21", "1.5", "1e1", "x"])
      expect(() => wholeNumber(1, 20)(text)).toThrow("expected a whole number, 1 to 20.");
  });
});

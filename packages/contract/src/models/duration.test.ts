import { DURATION_MS_MAX, durationMs } from "@segno/kernel";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { toDuration, formatDuration, parseDuration } from "./duration.ts";

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["1h30m", 5_400_000],
    ["1d1h1m1s1ms", 90_061_001],
    ["0s", 0],
    ["007s", 7000],
    ["90000000d", 7_776_000_000_000_000],
  ])("CONTRACT-7 %s is %i milliseconds", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each([
    "",
    "5",
    "s",
    "5 s",
    "1.5h",
    "-1s",
    "1h1d",
    "1s1s",
    "1S",
    "1w",
    "1e3ms",
    "∞",
    "99999999999d",
    "9007199254740993ms",
    "90000000d1ms",
    "7776000000000001ms",
  ])("CONTRACT-7 %j is no duration", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it("CONTRACT-7 a number is milliseconds already", () => {
    expect(toDuration(1234)).toBe(1234);
  });

  it("CONTRACT-7 what is written for people reads back as the same duration", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.nat(10_000),
          fc.nat({ max: 0x7f_ff_ff_ff }),
          fc.maxSafeNat().filter((value) => value <= DURATION_MS_MAX),
        ),
        (value) => toDuration(formatDuration(durationMs(value))) === value,
      ),
    );
  });
});

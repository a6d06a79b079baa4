// Times as text, against the calendar of the host.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { isoTime } from "./iso-time.ts";

it("PLAN-1 a time is written as the host's calendar writes it, without asking it", () => {
  const near = fc.integer({ min: Date.UTC(1890, 0, 1), max: Date.UTC(2110, 0, 1) });
  const any = fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 });
  fc.assert(
    fc.property(fc.oneof(near, any), (ms) => {
      expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }),
    { numRuns: 3000 },
  );
});

it("PLAN-1 leap days, turns of centuries and the ends of the calendar are right", () => {
  const days = ["1970-01-01", "1969-12-31", "2000-02-29", "1900-02-28", "1900-03-01", "2100-03-01", "0000-01-01"];
  const times = [...days.map((day) => Date.parse(day)), -8_640_000_000_000_000, 8_640_000_000_000_000];
  for (const ms of times) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
});

it("PLAN-1 parts of a millisecond are cut off, and what is no time has no text", () => {
  expect(isoTime(1.9)).toBe("1970-01-01T00:00:00.001Z");
  expect([Number.NaN, Number.POSITIVE_INFINITY, 8_640_000_000_000_001].map(isoTime)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

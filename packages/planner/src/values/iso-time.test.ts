// Times as text, against the calendar of the host.

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { isIsoTime, isoTime } from "./iso-time.ts";

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

it("PLAN-4 a moment that does not exist is not a time", () => {
  const impossible = [
    "2025-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2025-02-30T00:00:00Z",
    "2025-04-31T00:00:00Z",
    "2025-00-01T00:00:00Z",
    "2025-13-01T00:00:00Z",
    "2025-01-00T00:00:00Z",
    "2025-01-32T00:00:00Z",
    "2025-01-01T24:00:00Z",
    "2025-01-01T00:60:00Z",
    "2025-01-01T00:00:60Z",
    "2025-01-01T00:00:00+24:00",
    "2025-01-01T00:00:00+01:60",
    "9999-99-99T99:99:99Z",
  ];
  expect(impossible.filter(isIsoTime)).toEqual([]);
  const possible = [
    "2024-02-29T23:59:59.999999999+23:59",
    "2000-02-29 00:00",
    "2025-12-31t23:59:59z",
    "0000-01-01T00:00",
  ];
  expect(possible.filter(isIsoTime)).toEqual(possible);
});

it("PLAN-4 every day that the host's calendar has is a time", () => {
  const year = fc.integer({ min: Date.UTC(1600, 0, 1), max: Date.UTC(2400, 0, 1) });
  fc.assert(
    fc.property(year, (ms) => {
      expect(isIsoTime(new Date(ms).toISOString())).toBe(true);
    }),
  );
});

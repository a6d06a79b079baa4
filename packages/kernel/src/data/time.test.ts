// Times, against the host's own calendar.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTime } from "./time.ts";

describe("a time", () => {
  it("BEYOND-2 is the same as the host's calendar says it is, for every day and every zone", () => {
    const date = fc.date({
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    const zone = fc.tuple(fc.constantFrom("+", "-"), fc.nat(23), fc.nat(59));
    fc.assert(
      fc.property(date, zone, (when, [sign, hours, minutes]) => {
        const text = when.toISOString();
        expect(parseTime(text)).toBe(when.getTime());
        const offset = `${sign}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
        const elsewhere = text.replace("Z", offset);
        expect(parseTime(elsewhere)).toBe(Date.parse(elsewhere));
      }),
      { numRuns: 2000 },
    );
  });

  it("BEYOND-2 keeps every millisecond, and drops finer fractions", () => {
    for (let millisecond = 0; millisecond < 1000; millisecond++) {
      const text = `2027-01-31T08:00:00.${String(millisecond).padStart(3, "0")}`;
      expect(parseTime(`${text}Z`)).toBe(Date.parse(`${text}Z`));
      expect(parseTime(`${text}999999Z`)).toBe(Date.parse(`${text}Z`));
    }
    expect(parseTime("2027-01-31T08:00:00.5Z")).toBe(Date.parse("2027-01-31T08:00:00.500Z"));
  });

  it("BEYOND-2 may be short: minutes, a day, a space, small letters, an offset without a colon", () => {
    const day = Date.parse("2027-01-31T00:00:00Z");
    expect(parseTime("2027-01-31Z")).toBe(day);
    expect(parseTime("2027-01-31 00:00Z")).toBe(day);
    expect(parseTime("2027-01-31t00:00:00z")).toBe(day);
    expect(parseTime("2027-01-31T02:00+0200")).toBe(day);
  });

  it("BEYOND-2 may be milliseconds since 1970", () => {
    expect(parseTime(0)).toBe(0);
    expect(parseTime(1_800_000_000_000)).toBe(1_800_000_000_000);
    for (const odd of [1.5, Number.NaN, 2 ** 60]) expect(parseTime(odd)).toBeUndefined();
  });

  it("BEYOND-2 has a zone, and is a day that exists", () => {
    for (const text of [
      "2027-01-31T08:00:00",
      "2027-01-31",
      "2027-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z",
      "2027-04-31Z",
      "2027-00-10Z",
      "2027-13-10Z",
      "2027-01-00Z",
      "2027-01-01T24:00:00Z",
      "2027-01-01T00:60:00Z",
      "2027-01-01T00:00:60Z",
      "2027-01-01T00:00:00+24:00",
      "2027-01-01T00:00:00+00:60",
      "soon",
      "",
      " 2027-01-31Z",
      "27-01-31Z",
    ])
      expect(parseTime(text), text).toBeUndefined();
    for (const value of [null, true, [], {}]) expect(parseTime(value)).toBeUndefined();
    expect(parseTime("2028-02-29Z")).toBe(Date.parse("2028-02-29T00:00:00Z"));
    expect(parseTime("2000-02-29Z")).toBe(Date.parse("2000-02-29T00:00:00Z"));
  });
});

describe("a number that is a time", () => {
  it("WAIT_TIME_INVALID a time beyond the range of dates is refused", () => {
    for (const end of [8.64e15, -8.64e15]) expect(parseTime(end)).toBe(new Date(end).getTime());
    for (const beyond of [8.64e15 + 1, -8.64e15 - 1, 9e15]) {
      expect(parseTime(beyond)).toBeUndefined();
      expect(new Date(beyond).getTime()).toBeNaN();
    }
  });
});

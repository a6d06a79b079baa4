// Times in data: milliseconds since 1970, or ISO 8601 with a zone. Parsed without the host's calendar, because the kernel has
// none. This file alone defines the form of a time, in a contract and in the result of a template.

import { epochMs, type EpochMs } from "../model/units.ts";
import type { Json } from "../model/json.ts";

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))$/u;

/**
 * The latest time that a date can hold, in milliseconds; its negative is the earliest. Times beyond cannot be displayed or
 * armed.
 */
const EPOCH_MS_MAX = 8.64e15;

/**
 * Undefined if the value is not a time or has no zone: without a zone, a time means different moments on different machines.
 */
export function parseTime(value: Json): EpochMs | undefined {
  if (typeof value === "number")
    return Number.isSafeInteger(value) && Math.abs(value) <= EPOCH_MS_MAX ? epochMs(value) : undefined;
  if (typeof value !== "string") return undefined;
  const match = ISO.exec(value);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 59)
    return undefined;
  const millisecond = Math.floor(Number(`0.${match[7] ?? "0"}`) * 1000);
  const offset = zoneMinutes(match[8], match[9], match[10]);
  if (offset === undefined) return undefined;
  return epochMs(
    (((daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second) * 1000 + millisecond,
  );
}

/** Undefined if no such zone exists. */
function zoneMinutes(
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): number | undefined {
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The days from 1970-01-01: counts leap days before the year and days of the months before. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 477;
  let days = (year - 1970) * 365 + leapDays + day - 1;
  for (let each = 1; each < month; each++) days += daysIn(year, each);
  return days;
}

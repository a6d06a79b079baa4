// Formats and checks times as ISO 8601 text in UTC, with the same results as the host's `Date`. A pure package has no `Date`, so
// this file computes the calendar itself.

const DAY_MS = 86_400_000;
/** The host's `Date` cannot represent a time that is farther from 1970 than this. */
const TIME_MAX_MS = 8_640_000_000_000_000;

/** Returns nothing if the number is not a time. Fractions of a millisecond are cut off. */
export function isoTime(epochMs: number): string | undefined {
  if (!(Math.abs(epochMs) <= TIME_MAX_MS)) return undefined;
  const ms = Math.trunc(epochMs);
  const days = Math.floor(ms / DAY_MS);
  return `${dateText(days)}T${timeText(ms - days * DAY_MS)}Z`;
}

function timeText(ms: number): string {
  const hours = digits(Math.floor(ms / 3_600_000), 2);
  const minutes = digits(Math.floor(ms / 60_000) % 60, 2);
  return `${hours}:${minutes}:${digits(Math.floor(ms / 1000) % 60, 2)}.${digits(ms % 1000, 3)}`;
}

/** Counts days from 0000-03-01, so that a leap day is the last day of its year, in eras of 400 years that have the same length. */
function dateText(daysSince1970: number): string {
  const days = daysSince1970 + 719_468;
  const era = Math.floor(days / 146_097);
  const ofEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * ofYear + 2) / 153);
  const day = ofYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return `${yearText(era * 400 + yearOfEra + (month <= 2 ? 1 : 0))}-${digits(month, 2)}-${digits(day, 2)}`;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return digits(year, 4);
  return `${year < 0 ? "-" : "+"}${digits(Math.abs(year), 6)}`;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, "0");
}

const ISO_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:[Zz]|[+-](\d{2}):?(\d{2}))?$/u;

/** Whether the text names a time that exists: 30 February, hour 24 and second 60 do not. */
export function isIsoTime(text: string): boolean {
  const match = ISO_TIME.exec(text);
  if (match === null) return false;
  const [year, month, day, hour, minute, second, zoneHour, zoneMinute] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const isDate = month! >= 1 && month! <= 12 && day! >= 1 && day! <= daysIn(year!, month!);
  const isTime = hour! <= 23 && minute! <= 59 && second! <= 59;
  return isDate && isTime && zoneHour! <= 23 && zoneMinute! <= 59;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

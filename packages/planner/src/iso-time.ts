// A time as ISO 8601 text in UTC, as the calendar of the host would write it. There is no calendar here, so it is counted.

const DAY_MS = 86_400_000;
/** Farther from 1970 than this no calendar of the host goes. */
const TIME_MAX_MS = 8_640_000_000_000_000;

/** Nothing where the number is no time. Parts of a millisecond are cut off. */
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

/** Days are counted from 0000-03-01, so that a leap day is the last of its year, in eras of 400 years that are all alike. */
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

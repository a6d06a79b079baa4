// Parses the `Retry-After` header (FAIL-3).

import { durationMs, type DurationMs, type EpochMs } from "@segno/kernel";

/** One year; a longer wait is surely a mistake. */
const WAIT_MAX_MS = 31_536_000_000;

/** Seconds or a date; `undefined` if the header is neither. */
export function retryAfter(header: string | undefined, now: EpochMs): DurationMs | undefined {
  const waitMs = parseRetryAfter((header ?? "").trim(), now);
  return waitMs === undefined ? undefined : durationMs(Math.min(Math.max(0, waitMs), WAIT_MAX_MS));
}

function parseRetryAfter(text: string, now: EpochMs): number | undefined {
  if (/^\d{1,15}$/u.test(text)) return Number(text) * 1000;
  // The three date formats of HTTP begin with the name of a day; nothing else is accepted.
  const time = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/u.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time - now;
}

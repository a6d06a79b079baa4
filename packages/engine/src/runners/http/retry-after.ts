// When a server wants to be asked again, if it says so (FAIL-3).

import { durationMs, type DurationMs, type EpochMs } from "@segno/kernel";

/** A year. Whoever asks for more patience than that has made a mistake. */
const WAIT_MAX_MS = 31_536_000_000;

/** `Retry-After` as seconds or as a date; nothing when it is neither. */
export function retryAfter(header: string | undefined, now: EpochMs): DurationMs | undefined {
  const waitMs = parseRetryAfter((header ?? "").trim(), now);
  return waitMs === undefined ? undefined : durationMs(Math.min(Math.max(0, waitMs), WAIT_MAX_MS));
}

function parseRetryAfter(text: string, now: EpochMs): number | undefined {
  if (/^\d{1,15}$/u.test(text)) return Number(text) * 1000;
  // The three forms of a date that HTTP knows begin with the day's name; nothing else is tried.
  const at = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/u.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at - now;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Formats a duration with a useful precision: `120ms`, `1.2s`, `3m05s`, `2h07m`, `4d02h`. */
export function elapsedText(elapsedMs: number): string {
  const ms = Math.max(0, Math.round(elapsedMs));
  if (ms < SECOND_MS) return `${ms}ms`;
  // Otherwise 59.96 s would be printed as 60.0s.
  if (ms < MINUTE_MS - 50) return `${(ms / SECOND_MS).toFixed(1)}s`;
  const seconds = Math.round(ms / SECOND_MS) * SECOND_MS;
  if (seconds < HOUR_MS) return pair(seconds, [MINUTE_MS, "m"], [SECOND_MS, "s"]);
  return seconds < DAY_MS
    ? pair(seconds, [HOUR_MS, "h"], [MINUTE_MS, "m"])
    : pair(seconds, [DAY_MS, "d"], [HOUR_MS, "h"]);
}

/** Formats a duration that still grows: in whole seconds, so that the text does not flicker. */
export function tickingText(elapsedMs: number): string {
  const seconds = Math.floor(Math.max(0, elapsedMs) / SECOND_MS);
  return seconds < 60 ? `${seconds}s` : elapsedText(seconds * SECOND_MS);
}

/** Formats the remaining time, which is 0 only when it is over. */
export function countdownText(leftMs: number): string {
  return tickingText(Math.ceil(Math.max(0, leftMs) / SECOND_MS) * SECOND_MS);
}

type Unit = readonly [unitMs: number, name: string];

function pair(ms: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.floor((ms % largeMs) / smallMs);
  return `${Math.floor(ms / largeMs)}${large}${String(rest).padStart(2, "0")}${small}`;
}

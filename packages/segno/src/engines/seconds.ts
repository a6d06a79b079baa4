// Task engines use seconds; the kernel uses whole milliseconds.

import { durationMs, type DurationMs } from "@segno/kernel";

/** Rounds up, so that a positive time never becomes zero. */
export function secondsToMs(seconds: number): DurationMs {
  return durationMs(Math.ceil(seconds * 1000));
}

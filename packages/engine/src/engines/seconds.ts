// Times of the engines are in seconds; the kernel's are whole milliseconds.

import { durationMs, type DurationMs } from "@segno/kernel";

/** Rounded up: what is said to take some time takes some. */
export function secondsToMs(seconds: number): DurationMs {
  return durationMs(Math.ceil(seconds * 1000));
}

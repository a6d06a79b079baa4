// Durations: milliseconds, or text such as `500ms`, `30s`, `5m`, `2h`, `1d`, `1h30m` (CONTRACT-7).
//
// Integers only, biggest unit first, each unit at most once. `1.5h` is refused: binary fractions are not exact, and `1h30m` says
// the same.

import { DURATION_MS_MAX, durationMs, type DurationMs } from "@segno/kernel";
import { z } from "zod";

import { union } from "./zod-helpers.ts";

/** Milliseconds, or a text such as `500ms`, `30s` or `1h30m`. */
export type RawDuration = number | string;

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
] as const;

const DURATION = /^(?:(\d{1,9})d)?(?:(\d{1,11})h)?(?:(\d{1,12})m)?(?:(\d{1,14})s)?(?:(\d{1,16})ms)?$/u;
const EXPECTED = "a duration: milliseconds, or text such as `500ms`, `30s`, `5m`, `2h`, `1d` or `1h30m`";

/** Returns nothing if the text is not a duration, or if the duration is longer than dates can represent. */
export function parseDuration(text: string): DurationMs | undefined {
  const parts = DURATION.exec(text);
  if (parts === null || text === "") return undefined;
  const total = UNITS.reduce((sum, [, unit], index) => sum + Number(parts[index + 1] ?? 0) * unit, 0);
  return total <= DURATION_MS_MAX ? durationMs(total) : undefined;
}

export function toDuration(document: RawDuration): DurationMs {
  return typeof document === "number" ? durationMs(document) : parseDuration(document)!;
}

/** Writes a duration in the biggest unit that divides it exactly; milliseconds stay numbers. */
export function formatDuration(duration: DurationMs): RawDuration {
  const fitting = duration === 0 ? undefined : UNITS.find(([, unit]) => duration % unit === 0);
  return fitting === undefined || fitting[0] === "ms" ? duration : `${duration / fitting[1]}${fitting[0]}`;
}

function durationFrom(minMs: number, expected: string): z.ZodType<RawDuration> {
  const written = z
    .string({ error: expected })
    .min(2, { error: expected })
    .regex(DURATION, { error: expected })
    .refine((text) => (parseDuration(text) ?? -1) >= minMs, { error: expected });
  const counted = z.int({ error: expected }).min(minMs, { error: expected }).max(DURATION_MS_MAX, { error: expected });
  return union([counted, written], expected);
}

export const durationSchema: z.ZodType<RawDuration> = durationFrom(1, `${EXPECTED}, above 0`).meta({
  id: "Duration",
  description: "Milliseconds, or text such as `500ms`, `30s`, `5m`, `2h`, `1d`, `1h30m`.",
});

/** For durations that may be zero: a delay, a grace. */
export const pauseSchema: z.ZodType<RawDuration> = durationFrom(0, EXPECTED).meta({
  id: "Pause",
  description: "Milliseconds, or text such as `500ms`, `30s`, `5m`; `0` is allowed.",
});

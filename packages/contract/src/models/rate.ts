// Rates: `{ rate: 30, per: 1m }`, or `30/1m` for short.

import type { DurationMs } from "@segno/kernel";
import { z } from "zod";

import { durationSchema, toDuration, formatDuration, parseDuration, type RawDuration } from "./duration.ts";
import { strictObject, union, wholeNumber } from "./zod-helpers.ts";

/** A number of starts in a period: `30/1m`, or `{ rate: 30, per: "1m" }`. */
export type RawRate = string | { readonly rate: number; readonly per: RawDuration };

export interface Rate {
  readonly rate: number;
  readonly per: DurationMs;
}

const RATE_MAX = 1_000_000;
const EXPECTED = "a rate: `{ rate: 30, per: 1m }`, or text such as `30/1m`";
const RATE = /^(\d{1,7})\/([0-9dhms]+)$/u;

function parseRate(text: string): Rate | undefined {
  const parts = RATE.exec(text);
  const rate = Number(parts?.[1] ?? 0);
  const per = parts === null ? undefined : parseDuration(parts[2]!);
  return per === undefined || per === 0 || rate < 1 || rate > RATE_MAX ? undefined : { rate, per };
}

export function toRate(document: RawRate): Rate {
  return typeof document === "string" ? parseRate(document)! : { rate: document.rate, per: toDuration(document.per) };
}

export function formatRate({ rate, per }: Rate): RawRate {
  return { rate, per: formatDuration(per) };
}

const written = z
  .string({ error: EXPECTED })
  .regex(RATE, { error: EXPECTED })
  .refine((text) => parseRate(text) !== undefined, { error: EXPECTED });

export const rateSchema: z.ZodType<RawRate> = union(
  [written, strictObject({ rate: wholeNumber(1, RATE_MAX), per: durationSchema }, EXPECTED)],
  EXPECTED,
).meta({
  id: "Rate",
  description: "A number in a period: `{ rate: 30, per: 1m }`, or `30/1m`.",
});

// Parses option values that are numbers or durations. Commander reports an invalid value with the name of its option.

import { InvalidArgumentError } from "commander";

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = /^-?\d{1,16}$/u.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
    throw new InvalidArgumentError(`expected a whole number, ${range}.`);
  };
}

/** Parses a duration such as `90s` or `1h30m`, as in contracts. */
export function duration(text: string): number {
  const isDuration = /^(?:\d{1,9}(?:ms|[smhd]))+$/u.test(text);
  let ms = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhd])/gu)) ms += Number(count) * UNITS_MS[unit!]!;
  if (isDuration && ms > 0) return ms;
  throw new InvalidArgumentError("expected a duration such as 500ms, 30s, 5m or 1h30m.");
}

// Parses option values that are numbers, durations, times or labels. Commander reports an invalid value with the name of its option.

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

/** Parses a time: a duration before now such as `2h`, or an ISO time such as `2026-01-31T09:00Z`. */
export function moment(text: string): number {
  if (/^(?:\d+(?:ms|[smhd]))+$/u.test(text)) return Date.now() - duration(text);
  const at = /^\d{4}-\d\d-\d\d(?:[T ]|$)/u.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isSafeInteger(at)) return at;
  throw new InvalidArgumentError(
    "expected a duration such as 30m or 2h, or a time such as 2026-01-31 or 2026-01-31T09:00Z.",
  );
}

/** Parses a label, and adds it to the earlier ones. */
export function label(text: string, earlier: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const end = text.indexOf("=");
  if (end > 0) return { ...earlier, [text.slice(0, end)]: text.slice(end + 1) };
  throw new InvalidArgumentError("expected a label such as team=payments.");
}

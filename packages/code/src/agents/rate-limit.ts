// Recognises the limit of a provider in the error text of a program that has no field for it.
//
//   RL1. Only errors that the program itself reports are read, never what an agent says: a task may be about rate limits.
//   RL2. A limit that no waiting lifts, such as a plan without credit, is a failure.

import type { ReportedResult } from "./agent-event.ts";

const LIMIT =
  /\b429\b|too many requests|\brate[ _-]?limit(?:ed|error|_exceeded| reached| exceeded| hit)\b|\b(?:hit|reached) your usage limit|RESOURCE_EXHAUSTED|resource has been exhausted|exhausted your (?:\w+ )?(?:capacity|quota)|quota exceeded/iu;
const LASTING = /insufficient_quota|check your plan and billing|\bbilling\b/iu;
const DELAY =
  /\b(?:try again|retry|reset|resets)\b(?: in| after)?:? ((?:\d+(?:\.\d+)? ?(?:ms|[a-z]+)[, ]*(?:and )?)+)/iu;
const PART = /(\d+(?:\.\d+)?) ?([a-z]+)/giu;

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|millisecond)/iu, 1],
  [/^(?:s|sec|seconds?)$/iu, 1000],
  [/^(?:m|min|minutes?)$/iu, 60_000],
  [/^(?:h|hours?)$/iu, 3_600_000],
  [/^(?:d|days?)$/iu, 86_400_000],
];

export function isRateLimit(text: string): boolean {
  return LIMIT.test(text) && !LASTING.test(text);
}

/** How long the limit lasts, if the text says so. */
export function retryAfter(text: string): { readonly retryAfterMs?: number } {
  let sum = 0;
  for (const [, amount, unit] of (DELAY.exec(text)?.[1] ?? "").matchAll(PART))
    sum += Number(amount) * (UNITS.find(([name]) => name.test(unit!))?.[1] ?? 0);
  return sum > 0 ? { retryAfterMs: Math.ceil(sum) } : {};
}

/** The result of a program that reports this error. */
export function errorResult(text: string): ReportedResult {
  if (!isRateLimit(text)) return { status: "failed", summary: text };
  return { status: "rate_limited", summary: text, ...retryAfter(text) };
}

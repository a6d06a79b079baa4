// The error for an answer of GitHub that is not a success.
//
//   AE1. A limit is an error that says when to try again, and never sooner than in a second. GitHub reports limits with 429
//        and with 403, and 403 also means that the token lacks a permission: the headers and the message decide.
//   AE2. Time is measured by the clock of the server, because the reset of a limit is.

import { ForgeError, ForgeLimitError } from "./forge-error.ts";

export interface ForgeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly message: string;
}

const WAIT_MIN_MS = 1000;
/** The time that GitHub asks for if its answer does not name one. */
const WAIT_MS = 60_000;
const LIMIT = /rate limit|abuse detection/iu;

export function toAnswerError(what: string, answer: ForgeAnswer): ForgeError | ForgeLimitError {
  const { status } = answer;
  const message = `GitHub answered ${what} with ${status}: ${answer.message}`;
  const namedMs = retryAfterMs(answer);
  if (isLimit(answer)) return new ForgeLimitError(message, namedMs ?? resetMs(answer) ?? WAIT_MS);
  if (status === 401 || status === 403) return new ForgeError("FORGE_UNAUTHORIZED", message, { status });
  if (status >= 500 && namedMs !== undefined) return new ForgeLimitError(message, namedMs);
  const isTransient = status >= 500 || status === 408 || status === 425;
  return new ForgeError(isTransient ? "FORGE_FAILED" : "FORGE_REFUSED", message, { status });
}

function isLimit({ status, headers, message }: ForgeAnswer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return headers["retry-after"] !== undefined || isExhausted(headers) || LIMIT.test(message);
}

function isExhausted(headers: ForgeAnswer["headers"]): boolean {
  return Number(headers["x-ratelimit-remaining"] ?? Number.NaN) === 0;
}

/** `Retry-After` is a number of seconds or a date. */
function retryAfterMs({ headers }: ForgeAnswer): number | undefined {
  const text = String(headers["retry-after"] ?? "");
  if (/^\d{1,9}$/u.test(text)) return Math.max(WAIT_MIN_MS, Number(text) * 1000);
  return untilMs(headers, Date.parse(text));
}

/** The reset of the primary limit is a time in seconds. It counts only if that limit is used up. */
function resetMs({ headers }: ForgeAnswer): number | undefined {
  if (!isExhausted(headers)) return undefined;
  return untilMs(headers, Number(headers["x-ratelimit-reset"] ?? Number.NaN) * 1000);
}

function untilMs(headers: ForgeAnswer["headers"], atMs: number): number | undefined {
  if (Number.isNaN(atMs)) return undefined;
  const serverMs = Date.parse(String(headers["date"] ?? ""));
  return Math.max(WAIT_MIN_MS, atMs - (Number.isNaN(serverMs) ? Date.now() : serverMs));
}

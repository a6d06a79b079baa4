// The limits of an `http` step. Everything that a server can influence has a limit here.

import { SegnoError, VALUE_BYTES_MAX } from "@segno/kernel";

/** Limits of HTTP requests. */
export interface HttpLimits {
  /** Maximum bytes of a response, before and after decompression. */
  readonly bodyBytes: number;
  /** Maximum number of redirects. */
  readonly redirects: number;
  /** From the start of a connection until the response headers. */
  readonly headersMs: number;
  /** Between two chunks of a response. */
  readonly idleMs: number;
  /** From the first connection to the end of the response, redirects included, for a step without a `timeout`. */
  readonly totalMs: number;
}

const HTTP_LIMITS: HttpLimits = Object.freeze({
  // Half the limit of a value, because binary data grows by a third in base64.
  bodyBytes: VALUE_BYTES_MAX / 2,
  redirects: 3,
  headersMs: 30_000,
  idleMs: 30_000,
  totalMs: 300_000,
});

const TIMER_MAX_MS = 2_147_483_647;

const RANGES: Readonly<Record<keyof HttpLimits, readonly [min: number, max: number]>> = {
  bodyBytes: [1, VALUE_BYTES_MAX],
  redirects: [0, 20],
  headersMs: [1, TIMER_MAX_MS],
  idleMs: [1, TIMER_MAX_MS],
  totalMs: [1, TIMER_MAX_MS],
};

export function httpLimits(overrides: Partial<HttpLimits> = {}): HttpLimits {
  const limits = { ...HTTP_LIMITS, ...overrides };
  for (const name of Object.keys(RANGES) as (keyof HttpLimits)[]) check(name, limits[name]);
  return limits;
}

function check(name: keyof HttpLimits, value: number): void {
  const [min, max] = RANGES[name];
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new SegnoError("OPTION_INVALID", `\`${name}\` of http is a whole number from ${min} to ${max}, not ${value}`);
}

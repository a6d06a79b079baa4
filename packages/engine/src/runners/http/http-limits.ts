// How much an `http` step puts up with. Everything that another side decides on has a limit here.

import { SegnoError, VALUE_BYTES_MAX } from "@segno/kernel";

export interface HttpLimits {
  /** Bytes of an answer that are read, before and after it is unpacked. */
  readonly bodyBytes: number;
  /** Redirects that are followed. */
  readonly redirects: number;
  /** From the start of a connection until the head of the answer is there. */
  readonly headersMs: number;
  /** Between two pieces of an answer. */
  readonly idleMs: number;
  /** From the first connection to the end of the answer, redirects included, of a step that has no `timeout`. */
  readonly totalMs: number;
}

/** Half of what a value may have: bytes that are no text grow by a third when they are written down. */
const HTTP_LIMITS: HttpLimits = Object.freeze({
  bodyBytes: VALUE_BYTES_MAX / 2,
  redirects: 3,
  headersMs: 30_000,
  idleMs: 30_000,
  totalMs: 300_000,
});

const TIMER_MAX_MS = 2_147_483_647;

const RANGES: Readonly<Record<keyof HttpLimits, readonly [least: number, most: number]>> = {
  bodyBytes: [1, VALUE_BYTES_MAX],
  redirects: [0, 20],
  headersMs: [1, TIMER_MAX_MS],
  idleMs: [1, TIMER_MAX_MS],
  totalMs: [1, TIMER_MAX_MS],
};

export function httpLimits(given: Partial<HttpLimits> = {}): HttpLimits {
  const limits = { ...HTTP_LIMITS, ...given };
  for (const name of Object.keys(RANGES) as (keyof HttpLimits)[]) check(name, limits[name]);
  return limits;
}

function check(name: keyof HttpLimits, value: number): void {
  const [least, most] = RANGES[name];
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new SegnoError(
    "OPTION_INVALID",
    `\`${name}\` of http is a whole number from ${least} to ${most}, not ${value}`,
  );
}

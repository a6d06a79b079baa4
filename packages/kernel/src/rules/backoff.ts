// Whether a failed attempt is followed by another, and when (FAIL-2, FAIL-3).

import type { Failure } from "../model/failure.ts";
import type { RetryPolicy } from "../model/policy.ts";
import { durationMs, type DurationMs } from "../model/units.ts";

/** A shorter delay after an attempt that does not count would fill the journal: such attempts have no limit. */
const UNCOUNTED_DELAY_MIN_MS = 1000;

/** A misfit is permanent, unless the policy says that another attempt may give another answer: models do, code does not. */
const SCHEMA_MISFIT = "OUTPUT_INVALID";

export function isRetried(policy: RetryPolicy, failure: Failure, attempt: number): boolean {
  if (failure.isUncounted === true && failure.class === "transient") return true;
  if (attempt >= policy.attempts) return false;
  if (failure.class === "permanent" && failure.code === SCHEMA_MISFIT) return policy.on.includes("schema");
  return (failure.class === "transient" || failure.class === "timeout") && policy.on.includes(failure.class);
}

/** The delay before attempt n + 1, after attempt n failed. */
export function backoffDelay(policy: RetryPolicy, failure: Failure, attempt: number, random: () => number): DurationMs {
  const { retryAfter, isUncounted } = failure;
  if (isUncounted === true) return durationMs(Math.max(UNCOUNTED_DELAY_MIN_MS, finite(retryAfter) ?? policy.max));
  // The value comes from another party, and a time that is not a number would make the journal unreadable.
  const asked = finite(retryAfter);
  if (asked !== undefined) return durationMs(Math.max(0, asked));
  const delay = Math.min(policy.base * policy.factor ** (attempt - 1), policy.max);
  return durationMs(Math.round(policy.jitter === "full" ? delay * random() : delay));
}

function finite(delay: DurationMs | undefined): number | undefined {
  return delay !== undefined && Number.isFinite(delay) ? Math.round(delay) : undefined;
}

/** A pseudo-random number from 0 to 1: the same seed, step, attempt and round always give the same number. */
export function chance(seed: number, step: number, attempt: number, round: number): number {
  let mixed = seed | 0;
  for (const part of [step, attempt, round]) mixed = scramble((mixed ^ part) + 0x9e3779b9);
  return (mixed >>> 0) / 0x1_0000_0000;
}

/** The finalizer of a well-known 32-bit hash: every input bit changes every output bit with probability one half. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

// Defaults, in one place. A definition says only what its author wrote; this says what holds otherwise.

import type { Definition, RetryCause, RetryDefinition, StepDefinition } from "./definition.ts";
import { durationMs, type DurationMs } from "./units.ts";

export interface RetryPolicy {
  readonly attempts: number;
  readonly base: DurationMs;
  readonly factor: number;
  readonly max: DurationMs;
  readonly jitter: "none" | "full";
  readonly on: readonly RetryCause[];
  readonly exitCodes: readonly number[];
}

/** FAIL-3: three attempts in all, a second, doubling, at most half a minute; jitter only on request. */
export const RETRY_DEFAULT: RetryPolicy = Object.freeze({
  attempts: 3,
  base: durationMs(1000),
  factor: 2,
  max: durationMs(30_000),
  jitter: "none",
  on: Object.freeze<RetryCause[]>(["transient"]),
  exitCodes: Object.freeze<number[]>([]),
});

/** CANCEL-2: how long an aborted attempt may clean up. */
export const GRACE_DEFAULT: DurationMs = durationMs(5000);

/** No duration is longer: 90 million days from any moment that somebody will see still end on a day that dates can hold. */
export const DURATION_MS_MAX: DurationMs = durationMs(90_000_000 * 86_400_000);

/** FAIL-9: so many attempts of one step may be lost to crashes before a person has to look. */
export const LOST_ATTEMPTS_MAX = 5;

/** What undoes a step has the step's name and this word behind it, so no step inside another one can have it as its id. */
export const COMPENSATE = "compensate";

/** Scopes inside scopes: sub-workflows, maps and dynamic steps together. */
export const SCOPE_DEPTH_MAX = 8;

export function retryPolicy(definition: RetryDefinition | undefined): RetryPolicy {
  return definition === undefined ? RETRY_DEFAULT : Object.freeze({ ...RETRY_DEFAULT, ...definition });
}

export function gracePeriod(definition: Definition): DurationMs {
  return definition.grace ?? GRACE_DEFAULT;
}

export function isEnabled(step: StepDefinition): boolean {
  return step.enabled !== false;
}

// The defaults of a definition, in one file. A definition holds only what its author wrote.

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

/** FAIL-3: three attempts in all, a delay of a second that doubles, at most half a minute; jitter only on request. */
export const RETRY_DEFAULT: RetryPolicy = Object.freeze({
  attempts: 3,
  base: durationMs(1000),
  factor: 2,
  max: durationMs(30_000),
  jitter: "none",
  on: Object.freeze<RetryCause[]>(["transient"]),
  exitCodes: Object.freeze<number[]>([]),
});

/** CANCEL-2: the time that an aborted attempt has to clean up. */
export const GRACE_DEFAULT: DurationMs = durationMs(5000);

/** The longest duration: 90 million days from now still end on a date that `Date` can represent. */
export const DURATION_MS_MAX: DurationMs = durationMs(90_000_000 * 86_400_000);

/** FAIL-9: the number of attempts of one step that may be lost to crashes before the execution is parked. */
export const LOST_ATTEMPTS_MAX = 5;

/** The name of a compensation is the name of its step and this word, so no step inside another one can have it as its id. */
export const COMPENSATE = "compensate";

/** STATE-13: the largest number of iterations if a `repeat` with `until` has no `max`. */
export const REPEAT_MAX_DEFAULT = 1000;

/** STATE-13: the largest `max`. The state of an execution has every iteration. */
export const REPEAT_MAX = 100_000;

/** STATE-13: the step that waits between two iterations. */
export const DELAY_ID = "_delay";

/** The ids of the steps that the compiler and the builder add begin with `_`; people do not count them as steps. */
export function isInternalId(id: string): boolean {
  return id.startsWith("_");
}

/** The maximum nesting of scopes: sub-workflows, maps and dynamic steps together. */
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

// A claim is the request of a step to the scheduler: its requirement and its priority. A claim is not a holding: a step
// has its claim while it waits and while it runs. Requirements and claims are interned and compared by identity, so that
// steps with the same requirement wait in one queue.

import type { Breaker } from "./breaker.ts";
import type { ResourceDemand } from "./resource.ts";

/**
 * The resources and breaker that a step requires beyond a slot; acquired all at once or not at all. At most one demand
 * per resource.
 */
export class Requirement {
  readonly demands: readonly ResourceDemand[];
  readonly breaker: Breaker | undefined;
  /** Whether a quota is required, so that the passing of time alone can satisfy the requirement. */
  readonly isTimed: boolean;
  /** Whether every amount is within its bound; otherwise the requirement can never be met. */
  readonly isPossible: boolean;

  constructor(demands: readonly ResourceDemand[], breaker?: Breaker) {
    this.demands = demands;
    this.breaker = breaker;
    this.isTimed = demands.some(({ resource }) => resource.kind === "quota");
    this.isPossible = demands.every(({ threshold }) => threshold >= 0);
    Object.freeze(this);
  }

  get isEmpty(): boolean {
    return this.demands.length === 0 && this.breaker === undefined;
  }
}

export const NO_REQUIREMENT: Requirement = new Requirement([]);

export class Claim {
  readonly priority: number;
  readonly requirement: Requirement;
  /** The claim needs a slot and nothing else. */
  readonly isSlotOnly: boolean;
  /** The step was attempted before: a breaker prefers it as its probe. */
  readonly isRetry: boolean;
  /** The claim of the same step for a retry; the same object where there is no breaker. */
  readonly retryClaim: Claim;

  constructor(priority: number, requirement: Requirement, isRetry: boolean = false) {
    this.priority = priority;
    this.requirement = requirement;
    this.isSlotOnly = requirement.isEmpty;
    this.isRetry = isRetry;
    this.retryClaim = isRetry || requirement.breaker === undefined ? this : new Claim(priority, requirement, true);
    Object.freeze(this);
  }
}

export const SLOT_ONLY: Claim = new Claim(0, NO_REQUIREMENT);

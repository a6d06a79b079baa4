// A claim is a requirement with a priority. Requirements and claims are interned and compared by identity, so that
// steps with the same requirement wait in one queue.

import type { Breaker } from "./breaker.ts";
import type { ResourceAmount } from "./resource.ts";

/**
 * The resources and breaker that a step requires beyond a slot; acquired all at once or not at all. At most one amount
 * per resource.
 */
export class Requirement {
  readonly amounts: readonly ResourceAmount[];
  readonly breaker: Breaker | undefined;
  /** Whether a quota is required, so that the passing of time alone can satisfy the requirement. */
  readonly isTimed: boolean;
  /** Whether every amount is within its bound; otherwise the requirement can never be met. */
  readonly isPossible: boolean;

  constructor(amounts: readonly ResourceAmount[], breaker?: Breaker) {
    this.amounts = amounts;
    this.breaker = breaker;
    this.isTimed = amounts.some(({ resource }) => resource.kind === "quota");
    this.isPossible = amounts.every(({ threshold }) => threshold >= 0);
    Object.freeze(this);
  }

  get isEmpty(): boolean {
    return this.amounts.length === 0 && this.breaker === undefined;
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

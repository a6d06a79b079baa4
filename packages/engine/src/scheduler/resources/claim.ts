// A claim: what a step needs beyond a slot. Claims and needs are made once and compared by identity, so that steps with the
// same need can wait in one queue.

import type { Breaker } from "./breaker.ts";
import type { ResourceAmount } from "./resource.ts";

/** What is taken all or none. At most one take of a resource. */
export class Requirement {
  readonly amounts: readonly ResourceAmount[];
  readonly breaker: Breaker | undefined;
  /** Whether the time matters for it. */
  readonly isTimed: boolean;
  /** Whether it could ever be met. */
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
  /** A slot is enough. */
  readonly isSlotOnly: boolean;
  /** It was tried before: a breaker lets it through first. */
  readonly isRetry: boolean;
  /** The same claim of a step that is tried again. Where there is no breaker it makes no difference. */
  readonly again: Claim;

  constructor(priority: number, requirement: Requirement, isRetry: boolean = false) {
    this.priority = priority;
    this.requirement = requirement;
    this.isSlotOnly = requirement.isEmpty;
    this.isRetry = isRetry;
    this.again = isRetry || requirement.breaker === undefined ? this : new Claim(priority, requirement, true);
    Object.freeze(this);
  }
}

export const SLOT_ONLY: Claim = new Claim(0, NO_REQUIREMENT);

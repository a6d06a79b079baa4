// A claim: what a step needs beyond a slot. Claims and needs are made once and compared by identity, so that steps with the
// same need can wait in one queue.

import type { Breaker } from "./breaker.ts";
import type { Take } from "./resource.ts";

/** What is taken all or none. At most one take of a resource. */
export class Need {
  readonly takes: readonly Take[];
  readonly breaker: Breaker | undefined;
  /** Whether the time matters for it. */
  readonly isTimed: boolean;
  /** Whether it could ever be met. */
  readonly isPossible: boolean;

  constructor(takes: readonly Take[], breaker?: Breaker) {
    this.takes = takes;
    this.breaker = breaker;
    this.isTimed = takes.some(({ resource }) => resource.kind === "quota");
    this.isPossible = takes.every(({ threshold }) => threshold >= 0);
    Object.freeze(this);
  }

  get isNothing(): boolean {
    return this.takes.length === 0 && this.breaker === undefined;
  }
}

export const NO_NEED: Need = new Need([]);

export class Claim {
  readonly priority: number;
  readonly need: Need;
  /** A slot is enough. */
  readonly isPlain: boolean;
  /** It was tried before: a breaker lets it through first. */
  readonly isRetry: boolean;
  /** The same claim of a step that is tried again. Where there is no breaker it makes no difference. */
  readonly again: Claim;

  constructor(priority: number, need: Need, isRetry: boolean = false) {
    this.priority = priority;
    this.need = need;
    this.isPlain = need.isNothing;
    this.isRetry = isRetry;
    this.again = isRetry || need.breaker === undefined ? this : new Claim(priority, need, true);
    Object.freeze(this);
  }
}

export const PLAIN_CLAIM: Claim = new Claim(0, NO_NEED);

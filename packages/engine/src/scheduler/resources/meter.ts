// A meter counts how much of a resource is in use, and holds the groups of queues that wait for lower usage.

import type { BlockedGroup } from "../blocked-group.ts";

const EPSILON = 1e-9;

export class Meter {
  #used = 0;
  /** The part of the usage that abandoned attempts hold; their end cannot be predicted (CANCEL-2). */
  #leaked = 0;
  /** Blocked groups by the usage at or below which they fit. */
  readonly blocked: Map<number, BlockedGroup> = new Map();

  /** Usage at a time. A quota window first drops the entries that have expired by then. */
  usedAt(_nowMs: number): number {
    return this.#used;
  }

  get leaked(): number {
    return this.#leaked;
  }

  add(amount: number): void {
    this.#used += amount;
  }

  /** Rounds a remainder below `EPSILON` to zero: adding and removing fractions leaves rounding errors. */
  remove(amount: number): void {
    const used = this.#used - amount;
    this.#used = used < EPSILON ? 0 : used;
  }

  markLeaked(amount: number): void {
    this.#leaked += amount;
  }
}

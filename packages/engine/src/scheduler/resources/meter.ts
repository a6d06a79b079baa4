// A meter: how much of a resource is in use, and the blocked groups of those who wait until it is less.

import type { BlockedGroup } from "../blocked-group.ts";

const EPSILON = 1e-9;

export class Meter {
  #used = 0;
  /** Of what is in use, what is held by attempts that were given up: nobody knows when they end (CANCEL-2). */
  #leaked = 0;
  /** By what may be in use at most. */
  readonly blocked: Map<number, BlockedGroup> = new Map();

  /** By then, what counts for a time only may count no more. */
  usedAt(_nowMs: number): number {
    return this.#used;
  }

  get leaked(): number {
    return this.#leaked;
  }

  add(amount: number): void {
    this.#used += amount;
  }

  /** What fractions leave behind when they are added and removed is nothing. */
  remove(amount: number): void {
    const used = this.#used - amount;
    this.#used = used < EPSILON ? 0 : used;
  }

  markLeaked(amount: number): void {
    this.#leaked += amount;
  }
}

// A meter: how much of a resource is in use, and the gates of those who wait until it is less.

import type { Gate } from "../scheduler/gate.ts";

const DUST = 1e-9;

export class Meter {
  #used = 0;
  /** Of what is in use, what is held by attempts that were given up: nobody knows when they end (CANCEL-2). */
  #stuck = 0;
  /** By what may be in use at most. */
  readonly gates: Map<number, Gate> = new Map();

  /** By then, what counts for a time only may count no more. */
  usedAt(_nowMs: number): number {
    return this.#used;
  }

  get stuck(): number {
    return this.#stuck;
  }

  add(amount: number): void {
    this.#used += amount;
  }

  /** What fractions leave behind when they are added and removed is nothing. */
  remove(amount: number): void {
    const used = this.#used - amount;
    this.#used = used < DUST ? 0 : used;
  }

  stick(amount: number): void {
    this.#stuck += amount;
  }
}

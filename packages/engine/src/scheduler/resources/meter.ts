// A meter counts how much of a resource is in use, and keeps the obstacle groups of the queues that wait for lower usage.

import type { ObstacleGroup } from "../obstacle-group.ts";

const EPSILON = 1e-9;

export class Meter {
  #used = 0;
  /**
   * The part of the usage that lingering attempts hold: attempts that still run although their step was released. Their
   * end cannot be predicted (CANCEL-2).
   */
  #heldByLingering = 0;
  /** Obstacle groups by the usage at or below which their queues fit. */
  readonly obstacleGroups: Map<number, ObstacleGroup> = new Map();

  /** Usage at a time. A quota window first drops the entries that have expired by then. */
  usedAt(_nowMs: number): number {
    return this.#used;
  }

  get heldByLingering(): number {
    return this.#heldByLingering;
  }

  add(amount: number): void {
    this.#used += amount;
  }

  /** Rounds a remainder below `EPSILON` to zero: adding and removing fractions leaves rounding errors. */
  remove(amount: number): void {
    const used = this.#used - amount;
    this.#used = used < EPSILON ? 0 : used;
  }

  addLingering(amount: number): void {
    this.#heldByLingering += amount;
  }

  removeLingering(amount: number): void {
    this.#heldByLingering -= amount;
  }
}

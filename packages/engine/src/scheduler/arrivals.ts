// The requests collected while the scheduler is corked. Consecutive steps with the same execution and claim form one
// run: a map requests all its items at once, and most turns request one step or none.

import type { Claim } from "./resources/claim.ts";
import type { SchedulingEntry } from "./scheduling-entry.ts";
import type { StrategyOrder } from "./strategy.ts";

export interface ArrivalRun<Owner> {
  readonly entry: SchedulingEntry<Owner>;
  readonly claim: Claim;
  readonly steps: number[];
}

export class Arrivals<Owner> {
  #runs: ArrivalRun<Owner>[] = [];

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  add(entry: SchedulingEntry<Owner>, step: number, claim: Claim): void {
    const last = this.#runs.at(-1);
    if (last?.entry === entry && last.claim === claim) last.steps.push(step);
    else this.#runs.push({ entry, claim, steps: [step] });
  }

  /** Removes and returns all runs, in request order. */
  drain(): readonly ArrivalRun<Owner>[] {
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }
}

/**
 * Whether the requests can be granted in the order they came: no later request ranks before an earlier one, or all of
 * them fit.
 */
export function areFirstCome(runs: readonly ArrivalRun<unknown>[], order: StrategyOrder, freeSlots: number): boolean {
  const first = runs[0]!;
  if (runs.length === 1 && first.steps.length === 1) return true;
  if (order.ranking !== "none" || order.strategy !== undefined || order.concurrency !== Infinity) return false;
  if (runs.length === 1) return true;
  let left = freeSlots;
  for (const { entry, claim, steps } of runs) {
    left -= steps.length;
    if (left < 0 || claim !== first.claim || !claim.isSlotOnly || entry.limit !== Infinity) return false;
  }
  return true;
}

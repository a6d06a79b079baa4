// Arrivals: who has asked in a turn that is not over yet. They are kept as runs of steps of one execution with the same claim,
// because a map asks for all its items at once, and most turns ask for one step or for none.

import type { Claim } from "./resources/claim.ts";
import type { SchedulingEntry } from "./scheduling-entry.ts";
import type { StrategyOrder } from "./strategy.ts";

export interface ArrivalRun<Owner> {
  readonly account: SchedulingEntry<Owner>;
  readonly claim: Claim;
  readonly steps: number[];
}

export class Arrivals<Owner> {
  #runs: ArrivalRun<Owner>[] = [];

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  add(account: SchedulingEntry<Owner>, step: number, claim: Claim): void {
    const last = this.#runs.at(-1);
    if (last?.account === account && last.claim === claim) last.steps.push(step);
    else this.#runs.push({ account, claim, steps: [step] });
  }

  /** All of them, in the order in which they asked; none is left. */
  take(): readonly ArrivalRun<Owner>[] {
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }
}

/** Whether they may be served in the order in which they came: nobody ranks before one who came earlier, or all fit. */
export function areFirstCome(runs: readonly ArrivalRun<unknown>[], order: StrategyOrder, freeSlots: number): boolean {
  const first = runs[0]!;
  if (runs.length === 1 && first.steps.length === 1) return true;
  if (order.ranking !== "none" || order.strategy !== undefined || order.atOnce !== Infinity) return false;
  if (runs.length === 1) return true;
  let left = freeSlots;
  for (const { account, claim, steps } of runs) {
    left -= steps.length;
    if (left < 0 || claim !== first.claim || !claim.isSlotOnly || account.limit !== Infinity) return false;
  }
  return true;
}

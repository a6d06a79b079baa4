// The requests collected while the scheduler is corked. Consecutive requests with the same execution and claim form one
// batch: a map step requests all its items at once. Most turns request one step or none.

import type { Claim } from "./resources/claim.ts";
import type { SchedulerRecord } from "./scheduler-record.ts";
import type { StrategySettings } from "./strategy.ts";

export interface ArrivalBatch<Execution> {
  readonly schedulerRecord: SchedulerRecord<Execution>;
  readonly claim: Claim;
  readonly steps: number[];
}

export class Arrivals<Execution> {
  #batches: ArrivalBatch<Execution>[] = [];

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  add(schedulerRecord: SchedulerRecord<Execution>, step: number, claim: Claim): void {
    const last = this.#batches.at(-1);
    if (last?.schedulerRecord === schedulerRecord && last.claim === claim) last.steps.push(step);
    else this.#batches.push({ schedulerRecord, claim, steps: [step] });
  }

  /** Removes and returns all batches, in request order. */
  drain(): readonly ArrivalBatch<Execution>[] {
    const batches = this.#batches;
    this.#batches = [];
    return batches;
  }
}

/**
 * Whether the requests can be granted in the order in which they arrived: no later request ranks before an earlier one, or all of
 * them fit.
 */
export function canGrantInArrivalOrder(
  batches: readonly ArrivalBatch<unknown>[],
  settings: StrategySettings,
  freeSlots: number,
): boolean {
  const first = batches[0]!;
  if (batches.length === 1 && first.steps.length === 1) return true;
  if (settings.ranking !== "none" || settings.custom !== undefined || settings.concurrency !== Infinity) return false;
  if (batches.length === 1) return true;
  let left = freeSlots;
  for (const { schedulerRecord, claim, steps } of batches) {
    left -= steps.length;
    if (left < 0 || claim !== first.claim || !claim.isSlotOnly || schedulerRecord.limit !== Infinity) return false;
  }
  return true;
}

// The account of one execution: what it holds and what it waits for.

import type { Claim } from "./resources/claim.ts";
import { StepMap } from "../collections/step-map.ts";
import type { ExecutionWaitSet } from "./execution-wait-set.ts";
import type { StrategyOrder } from "./strategy.ts";

export class SchedulingEntry<Owner> {
  readonly owner: Owner;
  /** How many steps of this owner may run at once. */
  readonly limit: number;
  /** Added to the priorities of its steps. */
  readonly priority: number;
  /** What each of its steps that has a slot has beyond that. */
  readonly held: StepMap<Claim> = new StepMap();
  /** How many of those have anything beyond it. */
  resourceHolders: number = 0;
  /** Made when something has to wait for the first time. */
  waiting: ExecutionWaitSet | undefined = undefined;
  /** The order of its steps, where it is not that of all. */
  order: StrategyOrder | undefined = undefined;
  /**
   * When it was last served, or began to wait. Who asks for nothing is not kept waiting, so that time does not count; and an
   * execution that is always served at once never has to ask what time it is.
   */
  lastServedMs: number = 0;
  /** Counts on with that, over all executions: two of them never have the same. */
  fairnessSeq: number = 0;

  constructor(owner: Owner, limit: number = Number.POSITIVE_INFINITY, priority: number = 0) {
    this.owner = owner;
    this.limit = limit;
    this.priority = priority;
  }
}

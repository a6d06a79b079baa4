// The scheduler's record of one execution: the claims that it holds, and the steps that wait.

import type { Claim } from "./resources/claim.ts";
import { StepMap } from "../collections/step-map.ts";
import type { ExecutionWaitSet } from "./execution-wait-set.ts";
import type { StrategyOrder } from "./strategy.ts";

export class SchedulingEntry<Owner> {
  readonly owner: Owner;
  /** How many steps of this execution may run at once. */
  readonly limit: number;
  /** Added to the priority of each step. */
  readonly priority: number;
  /** The claims of the steps that hold a slot. */
  readonly held: StepMap<Claim> = new StepMap();
  /** How many of these claims hold more than a slot. */
  heldWithResources: number = 0;
  /** Created when a step has to wait for the first time. */
  waiting: ExecutionWaitSet | undefined = undefined;
  /** The execution's own order; undefined for the scheduler's. */
  order: StrategyOrder | undefined = undefined;
  /**
   * When a step was last granted from the queue, or the execution began to wait. Time during which no step waits does
   * not count as waiting. An execution whose requests are all granted at once never needs to read the clock.
   */
  lastServedMs: number = 0;
  /** Set with `lastServedMs` from one counter for all executions, so it is unique. */
  fairnessSeq: number = 0;

  constructor(owner: Owner, limit: number = Number.POSITIVE_INFINITY, priority: number = 0) {
    this.owner = owner;
    this.limit = limit;
    this.priority = priority;
  }
}

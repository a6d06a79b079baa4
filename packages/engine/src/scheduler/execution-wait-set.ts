// All waiting steps of one execution.

import type { Heap } from "../collections/heap.ts";
import type { Breaker } from "./resources/breaker.ts";
import type { Claim, Requirement } from "./resources/claim.ts";
import type { SchedulingEntry } from "./scheduling-entry.ts";
import { ClaimQueue } from "./claim-queue.ts";
import type { RequirementQueue } from "./requirement-queue.ts";
import { ExecutionGroup } from "./execution-group.ts";
import type { Retries } from "./retries.ts";
import { FifoSteps, RankedSteps } from "./steps.ts";
import { orderKey, type StrategyOrder } from "./strategy.ts";
import { StepPositions } from "./step-positions.ts";

/** The queues that all executions wait in. */
export interface WaitSetQueues {
  queueFor(requirement: Requirement): RequirementQueue;
  retriesFor(breaker: Breaker): Heap<Retries<ClaimQueue>>;
}

/** Empty claim queues are kept for reuse up to this number. */
const QUEUES_KEPT = 16;

export class ExecutionWaitSet {
  readonly #entry: SchedulingEntry<unknown>;
  readonly #shared: WaitSetQueues;
  readonly #positions = new StepPositions();
  readonly #byClaim = new Map<Claim, ClaimQueue>();
  readonly #groups = new Map<Requirement, ExecutionGroup>();
  /** Claim queue n is at index n - 1; number 0 means none. */
  #queues: ClaimQueue[] = [];
  /** Groups that came first while the execution ran at its concurrency limit. */
  #skipped: ExecutionGroup[] = [];
  #order: StrategyOrder;
  #size = 0;

  constructor(entry: SchedulingEntry<unknown>, order: StrategyOrder, queues: WaitSetQueues) {
    this.#entry = entry;
    this.#order = order;
    this.#shared = queues;
  }

  get size(): number {
    return this.#size;
  }

  get order(): StrategyOrder {
    return this.#order;
  }

  get queues(): readonly ClaimQueue[] {
    return this.#queues;
  }

  /** The claim queue of a waiting step. */
  queueOfStep(step: number): ClaimQueue | undefined {
    const number = this.#positions.queueAt(step);
    return number === 0 ? undefined : this.#queues[number - 1];
  }

  add(queue: ClaimQueue, step: number, since: number, rank: number): void {
    this.#size++;
    queue.add(step, since, rank);
  }

  delete(queue: ClaimQueue, step: number): void {
    this.#size--;
    queue.delete(step);
    if (this.#size === 0 && this.#queues.length > QUEUES_KEPT) this.#dropUnusedQueues();
  }

  queueForClaim(claim: Claim): ClaimQueue {
    return this.#byClaim.get(claim) ?? this.#createQueue(claim);
  }

  /** The execution is at its concurrency limit: blocks the group until a step of the execution is released. */
  skip(group: ExecutionGroup): void {
    if (group.isBlocked) return;
    group.block();
    this.#skipped.push(group);
  }

  /** A step was released: unblocks the skipped groups. */
  unskip(): void {
    if (this.#skipped.length === 0) return;
    const skipped = this.#skipped;
    this.#skipped = [];
    for (const group of skipped) group.unblock();
  }

  /** Removes all steps. The wait set is not used again. */
  close(): void {
    for (const group of this.#groups.values()) group.block();
    for (const queue of this.#queues) queue.close();
  }

  reorder(order: StrategyOrder): void {
    this.#order = order;
    for (const queue of this.#queues) queue.rekey(orderKey(order, queue.claim));
  }

  #dropUnusedQueues(): void {
    this.#groups.clear();
    this.#byClaim.clear();
    this.#queues = [];
    this.#skipped = [];
  }

  #createQueue(claim: Claim): ClaimQueue {
    const { ranking } = this.#order;
    const number = this.#queues.length + 1;
    const steps =
      ranking === "none" ? new FifoSteps(this.#positions, number) : new RankedSteps(this.#positions, number);
    const { requirement } = claim;
    const retries = claim.isRetry ? this.#shared.retriesFor(requirement.breaker!) : undefined;
    const queue = new ClaimQueue(this.#groupFor(requirement), claim, steps, orderKey(this.#order, claim), retries);
    this.#queues.push(queue);
    this.#byClaim.set(claim, queue);
    return queue;
  }

  #groupFor(requirement: Requirement): ExecutionGroup {
    let group = this.#groups.get(requirement);
    if (group === undefined)
      this.#groups.set(requirement, (group = new ExecutionGroup(this.#entry, this.#shared.queueFor(requirement))));
    return group;
  }
}

// The scheduler decides which steps may run now, across all executions of the engine (SCHED-1 to SCHED-7).
//
// A step requests admission with its claim. The scheduler grants the request at once if there is room, and otherwise
// puts the step on the wait queue. The scheduler sets no timers: it calls the port `requestWake` to say when it
// wants `wake` to be called.
//
//   G1. A step holds its slot from grant to release, and never holds two.
//   G2. A request that is blocked by its limits does not block the requests behind it (SCHED-3).
//   G3. No request is lost: each one is granted, withdrawn or still waiting.
//   G4. The scheduler is work-conserving. Between two calls, a slot is free only if every waiting step is blocked by
//       something else, so a request that is granted at once overtakes no waiting step that could run. While the
//       scheduler is corked, it collects requests and releases and evaluates them together. So steps that become ready
//       in the same turn are granted by rank and not in the order of their requests.
//   G5. A step gets everything it requires at once or nothing, and holds nothing while it waits. At most one
//       reservation of a resource is active (`reservations.ts`). Together, this rules out deadlock.
//   G6. A grant never takes a resource above its bound. Attempts that were already running when the scheduler learned
//       of them are counted even above the bound.
//
// Not its job: to decide when a step is ready, to act on a grant, or to run attempts.

import type { AttemptResult } from "./resources/breaker.ts";
import type { Claim } from "./resources/claim.ts";
import type { ResourceShare } from "./resources/resource.ts";
import {
  ExecutionWaitSet,
  type ClaimQueue,
  type ExecutionGroup,
  type ScheduledExecution,
} from "./scheduled-execution.ts";
import { Arrivals, type ArrivalBatch } from "./arrivals.ts";
import { WaitQueue, keptShares, NO_SHARES } from "./wait-queue.ts";
import type { Reservations } from "./reservations.ts";
import { StrategyRunner } from "./strategy-runner.ts";
import { reasonsFor, PositionCache, type LingeringAttempt } from "./explanation.ts";
import type { RunningStep, SchedulerLimits, SchedulerPorts } from "./scheduler-ports.ts";
import { SchedulerTime } from "./scheduler-time.ts";
import { stepRank, toOrder, type StrategyOrder, type Strategy } from "./strategy.ts";
import type { ExecutionStep, WaitReason } from "./wait-reason.ts";

type Scheduled = ScheduledExecution<unknown>;

export class Scheduler<Execution> {
  readonly #slots: number;
  readonly #ports: SchedulerPorts<Execution>;
  readonly #order: StrategyOrder;
  readonly #time: SchedulerTime;
  readonly #waitQueue: WaitQueue;
  readonly #strategyRunner: StrategyRunner;
  /** Executions that hold resources and not only slots. */
  readonly #resourceHolders = new Set<ScheduledExecution<unknown>>();
  /** The attempts that still run although their step was released, and what they hold (CANCEL-2). */
  readonly #lingering = new Map<object, LingeringAttempt>();
  readonly #positions = new PositionCache();
  readonly #arrivals = new Arrivals<Execution>();
  #isCorked = false;
  /** Something changed while the scheduler was corked, so waiting steps have to be considered again. */
  #isGrantPending = false;
  #usedSlots = 0;
  #waitingCount = 0;
  #fairnessSeq = 0;
  #requestedWakeMs: number | undefined;
  #isGranting = false;
  #isClosed = false;

  constructor(limits: SchedulerLimits, ports: SchedulerPorts<Execution>, strategy: Strategy = "priority") {
    this.#slots = limits.slots;
    this.#ports = ports;
    this.#order = toOrder(strategy);
    this.#time = new SchedulerTime(ports.clock);
    this.#waitQueue = new WaitQueue(this.#time);
    this.#strategyRunner = new StrategyRunner(this.#waitQueue, ports);
  }

  get usedSlots(): number {
    return this.#usedSlots;
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** For tests and checks that nothing is left over. */
  get reservations(): Reservations {
    return this.#waitQueue.reservations;
  }

  /** Stops granting; later requests only wait. */
  close(): void {
    this.#isClosed = true;
    this.#requestWake(undefined);
  }

  /** Runs `work` and evaluates its requests and releases together, at the end or when it calls `flush` (G4). */
  cork(work: () => void): void {
    if (this.#isCorked) return work();
    this.#isCorked = true;
    try {
      work();
    } finally {
      this.flush();
      this.#isCorked = false;
    }
  }

  /** Evaluates the requests and releases that were collected since `cork` or the last `flush`. */
  flush(): void {
    if (this.#arrivals.isEmpty && !this.#isGrantPending) return;
    const mustReconsiderWaiting = this.#isGrantPending && this.#waitingCount > 0;
    const wasCorked = this.#isCorked;
    this.#isGrantPending = false;
    this.#isCorked = false;
    if (mustReconsiderWaiting || !this.#arrivals.isEmpty)
      this.#processArrivals(this.#arrivals.drain(), mustReconsiderWaiting);
    this.#isCorked = wasCorked;
  }

  /** Grants at once if there is room and otherwise enqueues the step; while corked, decides at the next `flush`. */
  request(scheduled: ScheduledExecution<Execution>, step: number, claim: Claim): void {
    if (this.#isCorked) this.#arrivals.add(scheduled, step, claim);
    else this.#grantOrEnqueue(scheduled, step, claim);
  }

  #processArrivals(batches: readonly ArrivalBatch<Execution>[], mustReconsiderWaiting: boolean): void {
    if (mustReconsiderWaiting || !this.#strategyRunner.isFifo(batches, this.#order, this.#slots - this.#usedSlots)) {
      this.#waitQueue.alarms.fireDueNow(this.#time);
      this.#enqueueBatches(batches);
      this.#grantWaiting();
    } else
      for (const { scheduled, claim, steps } of batches)
        for (const step of steps) this.#grantOrEnqueue(scheduled, step, claim);
  }

  #enqueueBatches(batches: readonly ArrivalBatch<Execution>[]): void {
    const nowMs = this.#time.monotonic();
    for (const { scheduled, claim, steps } of batches)
      for (const step of steps) if (!scheduled.holdsOrAwaits(step)) this.#enqueue(scheduled, step, claim, nowMs);
  }

  /** Moves the collected requests to the wait queue, because the caller withdraws steps that may be among them. */
  #enqueueArrivals(): void {
    if (this.#arrivals.isEmpty) return;
    this.#enqueueBatches(this.#arrivals.drain());
    this.#isGrantPending = true;
  }

  #grantOrEnqueue(scheduled: ScheduledExecution<Execution>, step: number, claim: Claim): void {
    if (scheduled.holdsOrAwaits(step)) return;
    if (!claim.isSlotOnly && !this.#waitQueue.alarms.isEmpty && this.#waitQueue.alarms.fireDueNow(this.#time))
      this.#grantWaiting();
    if (this.#hasRoom(scheduled) && (claim.isSlotOnly || this.#fits(claim))) {
      if (scheduled.waitSet !== undefined && scheduled.waitSet.size > 0)
        scheduled.ageingSinceMs = this.#time.monotonic();
      this.#acquire(scheduled, step, claim);
      this.#ports.grant(scheduled.execution, step);
    } else {
      this.#enqueue(scheduled, step, claim, this.#time.monotonic());
      this.#grantWaiting();
    }
  }

  /** Counts an attempt that already runs, after a reload or a crash. `startedAtMs` is on the wall clock. */
  occupy(scheduled: ScheduledExecution<Execution>, step: number, claim: Claim, startedAtMs?: number): void {
    if (scheduled.held.has(step)) return;
    this.withdraw(scheduled, step);
    this.#addHeld(scheduled, step, claim);
    if (claim.isSlotOnly) return;
    const nowMs = this.#time.monotonic();
    const fromMs = startedAtMs === undefined ? nowMs : Math.min(nowMs, this.#time.fromWallClock(startedAtMs));
    this.#waitQueue.acquire(claim, fromMs);
  }

  /**
   * Frees the slot and the resources of a step. If part of the attempt still runs, the caller passes the attempt: it
   * lingers, and its capacities stay in use until `onExited` is called with it (CANCEL-2). `isForced` says that the attempt
   * was stopped by force. Returns the shares that stay in use. Call `reportToBreaker` first.
   */
  release(scheduled: Scheduled, step: number, attempt?: object, isForced = false): readonly ResourceShare[] {
    const claim = scheduled.held.get(step);
    if (claim === undefined) return NO_SHARES;
    scheduled.held.delete(step);
    this.#usedSlots--;
    const kept = attempt === undefined ? NO_SHARES : keptShares(claim, isForced);
    if (!claim.isSlotOnly) this.#returnResources(scheduled, step, claim, kept, attempt);
    scheduled.waitSet?.unskip();
    if (this.#waitingCount > 0) this.#grantWaiting();
    return kept;
  }

  /** An attempt that was still running when its step was released has exited. */
  onExited(attempt: object): void {
    const lingering = this.#lingering.get(attempt);
    if (lingering === undefined) return;
    this.#lingering.delete(attempt);
    this.#waitQueue.removeLingering(lingering.kept);
    this.#waitQueue.release(lingering.kept);
    this.#grantWaiting();
  }

  /** Reports the result of an attempt to its breaker (FAIL-6). Call it before `release`. */
  reportToBreaker(scheduled: Scheduled, step: number, result: AttemptResult): void {
    const claim = scheduled.held.get(step);
    if (claim?.requirement.breaker === undefined) return;
    this.#waitQueue.reportToBreaker(claim, { scheduled, step, result }, this.#time.monotonic());
    if (this.#waitingCount > 0) this.#grantWaiting();
  }

  /** Removes a waiting step. A step whose grant is in flight already holds its slot and is not affected. */
  withdraw(scheduled: ScheduledExecution<Execution>, step: number): void {
    this.#enqueueArrivals();
    const claimQueue = scheduled.waitSet?.queueOfStep(step);
    if (claimQueue === undefined) return;
    scheduled.waitSet!.delete(claimQueue, step);
    this.#waitingCount--;
    this.#grantWaiting();
  }

  withdrawAll(scheduled: ScheduledExecution<Execution>): void {
    if (this.#clearWaiting(scheduled)) this.#grantWaiting();
  }

  /** Removes an execution that has ended or leaves memory: its waiting steps, slots and resources. */
  forget(scheduled: ScheduledExecution<Execution>): void {
    this.#clear(scheduled);
    this.#grantWaiting();
  }

  /** Replaces what a reloaded execution holds by its running attempts; no step takes these resources in between (G6). */
  restore(scheduled: ScheduledExecution<Execution>, running: readonly RunningStep[]): void {
    this.#clear(scheduled);
    for (const { step, claim, startedAtMs } of running) this.occupy(scheduled, step, claim, startedAtMs);
    this.#grantWaiting();
  }

  #clear(scheduled: ScheduledExecution<Execution>): void {
    this.#clearWaiting(scheduled);
    for (const [step, claim] of scheduled.held) {
      scheduled.held.delete(step);
      this.#usedSlots--;
      if (!claim.isSlotOnly) this.#returnResources(scheduled, step, claim, NO_SHARES);
    }
  }

  /** Called at the time that the scheduler requested by `requestWake`. */
  wake(): void {
    this.#requestedWakeMs = undefined;
    this.#waitQueue.alarms.fireDue(this.#time.monotonic());
    this.#grantWaiting();
  }

  /** All reasons why a step waits now; empty if it does not wait (SCHED-7). */
  why(scheduled: ScheduledExecution<Execution>, step: number): readonly WaitReason<ExecutionStep<Execution>>[] {
    const claimQueue = scheduled.waitSet?.queueOfStep(step);
    if (claimQueue === undefined) return [];
    const reasons = reasonsFor(
      { scheduled, step, queue: claimQueue },
      {
        waitQueue: this.#waitQueue,
        time: this.#time,
        slots: { used: this.#usedSlots, max: this.#slots },
        executionMax: this.#concurrencyLimit(scheduled),
        isClosing: this.#isClosed,
        positions: this.#positions,
        resourceHolders: this.#resourceHolders,
        lingering: this.#lingering,
      },
    );
    return reasons as readonly WaitReason<ExecutionStep<Execution>>[];
  }

  #concurrencyLimit(scheduled: Scheduled): number {
    return Math.min(scheduled.limit, this.#order.concurrency);
  }

  /** While waiting steps are being granted, new requests join the queue. */
  #hasRoom({ held, limit }: ScheduledExecution<Execution>): boolean {
    if (this.#usedSlots >= this.#slots || held.size >= limit || held.size >= this.#order.concurrency) return false;
    return !this.#isClosed && !this.#isGranting;
  }

  #fits({ requirement }: Claim): boolean {
    const isTimed = requirement.isTimed || requirement.breaker?.isClosed === false;
    return this.#waitQueue.fits(requirement, isTimed ? this.#time.monotonic() : 0);
  }

  #enqueue(scheduled: ScheduledExecution<Execution>, step: number, claim: Claim, nowMs: number): void {
    const order = scheduled.order ?? this.#order;
    const waitSet = (scheduled.waitSet ??= new ExecutionWaitSet(scheduled, order, this.#waitQueue));
    if (waitSet.size === 0) {
      scheduled.ageingSinceMs = nowMs;
      scheduled.servedSeq = ++this.#fairnessSeq;
    }
    const claimQueue = waitSet.queueForClaim(claim);
    const { requirementQueue } = claimQueue.executionGroup;
    const isFirst = requirementQueue.isEmpty;
    if (scheduled.held.size >= this.#concurrencyLimit(scheduled)) waitSet.skip(claimQueue.executionGroup);
    const rank = stepRank(waitSet.order, step, () => this.#ports.dependantCount(scheduled.execution, step));
    waitSet.add(claimQueue, step, this.#time.uniqueMonotonic(nowMs), rank);
    this.#waitingCount++;
    if (isFirst && !claim.isSlotOnly && !requirementQueue.isEmpty)
      this.#waitQueue.placeByObstacle(requirementQueue, nowMs);
  }

  /** Returns whether any step was removed. */
  #clearWaiting(scheduled: ScheduledExecution<Execution>): boolean {
    this.#enqueueArrivals();
    const { waitSet } = scheduled;
    if (waitSet === undefined) return false;
    scheduled.waitSet = undefined;
    this.#waitingCount -= waitSet.size;
    waitSet.close();
    return waitSet.size > 0;
  }

  #acquire(scheduled: ScheduledExecution<Execution>, step: number, claim: Claim): void {
    this.#addHeld(scheduled, step, claim);
    scheduled.servedSeq = ++this.#fairnessSeq;
    if (claim.isSlotOnly) return;
    const { requirement } = claim;
    this.#positions.forget();
    this.#waitQueue.acquire(claim, requirement.isTimed ? this.#time.monotonic() : 0);
    requirement.breaker?.onStarted(scheduled, step);
  }

  #addHeld(scheduled: ScheduledExecution<Execution>, step: number, claim: Claim): void {
    scheduled.held.set(step, claim);
    this.#usedSlots++;
    if (!claim.isSlotOnly && scheduled.heldWithResources++ === 0) this.#resourceHolders.add(scheduled);
  }

  #returnResources(
    scheduled: Scheduled,
    step: number,
    claim: Claim,
    kept: readonly ResourceShare[],
    attempt?: object,
  ): void {
    if (--scheduled.heldWithResources === 0) this.#resourceHolders.delete(scheduled);
    // A probe that neither succeeded nor failed gives up its role (`breaker.ts`).
    const { breaker, shares } = claim.requirement;
    if (breaker?.isClosed === false)
      this.#waitQueue.reportToBreaker(claim, { scheduled, step, result: "other" }, this.#time.monotonic());
    if (attempt !== undefined) this.onExited(attempt);
    if (attempt === undefined || kept.length === 0) return this.#waitQueue.release(shares);
    this.#waitQueue.release(shares.filter((share) => !kept.includes(share)));
    this.#lingering.set(attempt, { scheduled, step, kept });
    this.#waitQueue.addLingering(kept, this.#time.monotonic());
  }

  /** Grants waiting steps until no slot is free or no step can run. */
  #grantWaiting(): void {
    this.#positions.forget();
    if (this.#isCorked) this.#isGrantPending = true;
    if (this.#isGranting || this.#isClosed || this.#isCorked) return;
    this.#isGranting = true;
    try {
      let next = this.#next();
      const nowMs = next === undefined ? 0 : this.#time.monotonic();
      for (; next !== undefined; next = this.#next()) this.#tryGrant(next, nowMs);
    } finally {
      this.#isGranting = false;
    }
    this.#requestWake(this.#waitQueue.alarms.dueAtMs);
  }

  #next(): ExecutionGroup | undefined {
    return this.#usedSlots < this.#slots ? this.#waitQueue.first : undefined;
  }

  /** Grants one step of the group, or moves the group or its queue out of the way if it is blocked. */
  #tryGrant(executionGroup: ExecutionGroup, nowMs: number): void {
    const { scheduled } = executionGroup;
    const waitSet = scheduled.waitSet!;
    if (scheduled.held.size >= this.#concurrencyLimit(scheduled)) return waitSet.skip(executionGroup);
    const { requirementQueue } = executionGroup;
    if (!requirementQueue.requirement.isEmpty && !this.#waitQueue.placeByObstacle(requirementQueue, nowMs)) return;
    const hasRoom = (other: ScheduledExecution<unknown>): boolean => other.held.size < this.#concurrencyLimit(other);
    const probe = this.#waitQueue.probe(requirementQueue.requirement, nowMs, hasRoom);
    if (probe !== undefined) return this.#grantStep(probe, probe.steps.first, nowMs);
    const claimQueue = executionGroup.first!;
    if (waitSet.order.custom === undefined) return this.#grantStep(claimQueue, claimQueue.steps.first, nowMs);
    const chosen = this.#strategyRunner.select(claimQueue, waitSet.order.custom, nowMs);
    this.#grantStep(chosen.queue, chosen.step, nowMs);
  }

  #grantStep(claimQueue: ClaimQueue, step: number, nowMs: number): void {
    const scheduled = claimQueue.executionGroup.scheduled as ScheduledExecution<Execution>;
    scheduled.ageingSinceMs = nowMs;
    this.#acquire(scheduled, step, claimQueue.claim);
    scheduled.waitSet!.delete(claimQueue, step);
    this.#waitingCount--;
    if (!claimQueue.claim.isSlotOnly) this.#waitQueue.onGranted(claimQueue.executionGroup.requirementQueue, nowMs);
    this.#ports.grant(scheduled.execution, step);
  }

  #requestWake(dueAtMs: number | undefined): void {
    if (dueAtMs === this.#requestedWakeMs) return;
    this.#requestedWakeMs = dueAtMs;
    this.#ports.requestWake(dueAtMs);
  }
}

// The scheduler decides which steps may run now, across all executions of the engine (SCHED-1 to SCHED-7).
//
// A step requests admission with its claim. The scheduler grants the request at once if there is room, and otherwise
// puts the step on the wait queue. The scheduler sets no timers: it calls the port `requestWake` to say when it
// wants `wake` to be called.
//
//   G1. A step holds its slot from grant to release, and never holds two.
//   G2. A request that is blocked by its limits does not block the requests behind it (SCHED-3).
//   G3. No request is lost: each one is granted, withdrawn or still waiting.
//   G4. The scheduler is work-conserving. When a call returns, a slot is free only if no waiting step can run. So
//       granting a new request at once never overtakes a waiting step that could have run. While the scheduler is
//       corked, it collects requests and releases and evaluates them together. So steps that become ready in the same
//       turn are granted by rank and not in the order of their requests.
//   G5. A step gets everything it requires at once or nothing, and holds nothing while it waits. At most one
//       reservation of a resource is active (`reservations.ts`). Together, this rules out deadlock.
//   G6. A grant never takes a resource above its bound. Attempts that were already running when the scheduler learned
//       of them are counted even above the bound.
//
// Not its job: to decide when a step is ready, to act on a grant, or to run attempts.

import type { AttemptResult } from "./resources/breaker.ts";
import type { Claim } from "./resources/claim.ts";
import type { ResourceDemand } from "./resources/resource.ts";
import { ExecutionWaitSet, type ClaimQueue, type ExecutionGroup, type SchedulerRecord } from "./scheduler-record.ts";
import { Arrivals, type ArrivalBatch } from "./arrivals.ts";
import { WaitQueue, keptDemands, NO_DEMANDS } from "./wait-queue.ts";
import type { Reservations } from "./reservations.ts";
import { StrategyRunner } from "./strategy-runner.ts";
import { reasonsFor, ExecutionsBeforeCache, type LingeringAttempt } from "./explanation.ts";
import type { RunningStep, SchedulerLimits, SchedulerPorts } from "./scheduler-ports.ts";
import { SchedulerTime } from "./scheduler-time.ts";
import { stepRank, toSettings, type StrategySettings, type Strategy } from "./strategy.ts";
import type { ExecutionStep, WaitReason } from "./wait-reason.ts";

type AnyRecord = SchedulerRecord<unknown>;

export class Scheduler<Execution> {
  readonly #slots: number;
  readonly #ports: SchedulerPorts<Execution>;
  readonly #settings: StrategySettings;
  readonly #time: SchedulerTime;
  readonly #waitQueue: WaitQueue;
  readonly #strategyRunner: StrategyRunner;
  /** Executions that hold resources and not only slots. */
  readonly #resourceHolders = new Set<SchedulerRecord<unknown>>();
  /** The attempts that still run although their step was released, and what they hold (CANCEL-2). */
  readonly #lingering = new Map<object, LingeringAttempt>();
  readonly #executionsBefore = new ExecutionsBeforeCache();
  readonly #arrivals = new Arrivals<Execution>();
  #isCorked = false;
  /** Something changed while the scheduler was corked, so waiting steps have to be considered again. */
  #isGrantPending = false;
  #usedSlots = 0;
  #waitingCount = 0;
  #lastFairnessSeq = 0;
  #requestedWakeMs: number | undefined;
  #isGranting = false;
  #isClosed = false;

  constructor(limits: SchedulerLimits, ports: SchedulerPorts<Execution>, strategy: Strategy = "priority") {
    this.#slots = limits.slots;
    this.#ports = ports;
    this.#settings = toSettings(strategy);
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
  request(schedulerRecord: SchedulerRecord<Execution>, step: number, claim: Claim): void {
    if (this.#isCorked) this.#arrivals.add(schedulerRecord, step, claim);
    else this.#grantOrEnqueue(schedulerRecord, step, claim);
  }

  #processArrivals(batches: readonly ArrivalBatch<Execution>[], mustReconsiderWaiting: boolean): void {
    if (
      mustReconsiderWaiting ||
      !this.#strategyRunner.mayGrantInArrivalOrder(batches, this.#settings, this.#slots - this.#usedSlots)
    ) {
      this.#waitQueue.alarms.fireDueNow(this.#time);
      this.#enqueueBatches(batches);
      this.#grantWaiting();
    } else
      for (const { schedulerRecord, claim, steps } of batches)
        for (const step of steps) this.#grantOrEnqueue(schedulerRecord, step, claim);
  }

  #enqueueBatches(batches: readonly ArrivalBatch<Execution>[]): void {
    const nowMs = this.#time.monotonic();
    for (const { schedulerRecord, claim, steps } of batches)
      for (const step of steps)
        if (!schedulerRecord.holdsOrAwaits(step)) this.#enqueue(schedulerRecord, step, claim, nowMs);
  }

  /** Moves the collected requests to the wait queue, because the caller withdraws steps that may be among them. */
  #enqueueArrivals(): void {
    if (this.#arrivals.isEmpty) return;
    this.#enqueueBatches(this.#arrivals.drain());
    this.#isGrantPending = true;
  }

  #grantOrEnqueue(schedulerRecord: SchedulerRecord<Execution>, step: number, claim: Claim): void {
    if (schedulerRecord.holdsOrAwaits(step)) return;
    if (!claim.isSlotOnly && !this.#waitQueue.alarms.isEmpty && this.#waitQueue.alarms.fireDueNow(this.#time))
      this.#grantWaiting();
    if (this.#hasRoom(schedulerRecord) && (claim.isSlotOnly || this.#fits(claim))) {
      if (schedulerRecord.waitSet !== undefined && schedulerRecord.waitSet.size > 0)
        schedulerRecord.ageingSinceMs = this.#time.monotonic();
      this.#acquire(schedulerRecord, step, claim);
      this.#ports.grant(schedulerRecord.execution, step);
    } else {
      this.#enqueue(schedulerRecord, step, claim, this.#time.monotonic());
      this.#grantWaiting();
    }
  }

  /** Counts an attempt that already runs, after a reload or a crash. `startedAtMs` is on the wall clock. */
  occupy(schedulerRecord: SchedulerRecord<Execution>, step: number, claim: Claim, startedAtMs?: number): void {
    if (schedulerRecord.held.has(step)) return;
    this.withdraw(schedulerRecord, step);
    this.#addHeld(schedulerRecord, step, claim);
    if (claim.isSlotOnly) return;
    const nowMs = this.#time.monotonic();
    const fromMs = startedAtMs === undefined ? nowMs : Math.min(nowMs, this.#time.fromWallClock(startedAtMs));
    this.#waitQueue.acquire(claim, fromMs);
  }

  /**
   * Frees the slot and the resources of a step. If part of the attempt still runs, the caller passes the attempt: it
   * lingers, and the capacities that its step declares stay in use until `onExited` is called with it (CANCEL-2). `isForced` says that the attempt
   * was stopped by force. Returns the demands that stay in use. Call `reportToBreaker` first.
   */
  release(schedulerRecord: AnyRecord, step: number, attempt?: object, isForced = false): readonly ResourceDemand[] {
    const claim = schedulerRecord.held.get(step);
    if (claim === undefined) return NO_DEMANDS;
    schedulerRecord.held.delete(step);
    this.#usedSlots--;
    const kept = attempt === undefined ? NO_DEMANDS : keptDemands(claim, isForced);
    if (!claim.isSlotOnly) this.#returnResources(schedulerRecord, step, claim, kept, attempt);
    schedulerRecord.waitSet?.unskip();
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
  reportToBreaker(schedulerRecord: AnyRecord, step: number, result: AttemptResult): void {
    const claim = schedulerRecord.held.get(step);
    if (claim?.requirement.breaker === undefined) return;
    this.#waitQueue.reportToBreaker(claim, { schedulerRecord, step, result }, this.#time.monotonic());
    if (this.#waitingCount > 0) this.#grantWaiting();
  }

  /** Removes a waiting step. A step whose grant is in flight already holds its slot and is not affected. */
  withdraw(schedulerRecord: SchedulerRecord<Execution>, step: number): void {
    this.#enqueueArrivals();
    const claimQueue = schedulerRecord.waitSet?.queueOfStep(step);
    if (claimQueue === undefined) return;
    schedulerRecord.waitSet!.delete(claimQueue, step);
    this.#waitingCount--;
    this.#grantWaiting();
  }

  withdrawAll(schedulerRecord: SchedulerRecord<Execution>): void {
    if (this.#clearWaiting(schedulerRecord)) this.#grantWaiting();
  }

  /** Removes an execution that has ended or leaves memory: its waiting steps, slots and resources. */
  forget(schedulerRecord: SchedulerRecord<Execution>): void {
    this.#clear(schedulerRecord);
    this.#grantWaiting();
  }

  /** Replaces what a reloaded execution holds by its running attempts; no step takes these resources in between (G6). */
  restore(schedulerRecord: SchedulerRecord<Execution>, running: readonly RunningStep[]): void {
    this.#clear(schedulerRecord);
    for (const { step, claim, startedAtMs } of running) this.occupy(schedulerRecord, step, claim, startedAtMs);
    this.#grantWaiting();
  }

  #clear(schedulerRecord: SchedulerRecord<Execution>): void {
    this.#clearWaiting(schedulerRecord);
    for (const [step, claim] of schedulerRecord.held) {
      schedulerRecord.held.delete(step);
      this.#usedSlots--;
      if (!claim.isSlotOnly) this.#returnResources(schedulerRecord, step, claim, NO_DEMANDS);
    }
  }

  /** Called at the time that the scheduler requested by `requestWake`. */
  wake(): void {
    this.#requestedWakeMs = undefined;
    this.#waitQueue.alarms.fireDue(this.#time.monotonic());
    this.#grantWaiting();
  }

  /** All reasons why a step waits now; empty if it does not wait (SCHED-7). */
  why(schedulerRecord: SchedulerRecord<Execution>, step: number): readonly WaitReason<ExecutionStep<Execution>>[] {
    const claimQueue = schedulerRecord.waitSet?.queueOfStep(step);
    if (claimQueue === undefined) return [];
    const reasons = reasonsFor(
      { schedulerRecord, step, queue: claimQueue },
      {
        waitQueue: this.#waitQueue,
        time: this.#time,
        slots: { used: this.#usedSlots, max: this.#slots },
        executionMax: this.#concurrencyLimit(schedulerRecord),
        isClosing: this.#isClosed,
        executionsBefore: this.#executionsBefore,
        resourceHolders: this.#resourceHolders,
        lingering: this.#lingering,
      },
    );
    return reasons as readonly WaitReason<ExecutionStep<Execution>>[];
  }

  #concurrencyLimit(schedulerRecord: AnyRecord): number {
    return Math.min(schedulerRecord.limit, this.#settings.concurrency);
  }

  /** While waiting steps are being granted, new requests join the queue. */
  #hasRoom({ held, limit }: SchedulerRecord<Execution>): boolean {
    if (this.#usedSlots >= this.#slots || held.size >= limit || held.size >= this.#settings.concurrency) return false;
    return !this.#isClosed && !this.#isGranting;
  }

  #fits({ requirement }: Claim): boolean {
    const isTimed = requirement.isTimed || requirement.breaker?.isClosed === false;
    return this.#waitQueue.fits(requirement, isTimed ? this.#time.monotonic() : 0);
  }

  #enqueue(schedulerRecord: SchedulerRecord<Execution>, step: number, claim: Claim, nowMs: number): void {
    const settings = schedulerRecord.strategySettings ?? this.#settings;
    const waitSet = (schedulerRecord.waitSet ??= new ExecutionWaitSet(schedulerRecord, settings, this.#waitQueue));
    if (waitSet.size === 0) {
      schedulerRecord.ageingSinceMs = nowMs;
      schedulerRecord.fairnessSeq = ++this.#lastFairnessSeq;
    }
    const claimQueue = waitSet.queueForClaim(claim);
    const { requirementQueue } = claimQueue.executionGroup;
    const isFirst = requirementQueue.isEmpty;
    if (schedulerRecord.held.size >= this.#concurrencyLimit(schedulerRecord)) waitSet.skip(claimQueue.executionGroup);
    const rank = stepRank(waitSet.settings, step, () => this.#ports.dependantCount(schedulerRecord.execution, step));
    waitSet.add(claimQueue, step, this.#time.uniqueMonotonic(nowMs), rank);
    this.#waitingCount++;
    if (isFirst && !claim.isSlotOnly && !requirementQueue.isEmpty)
      this.#waitQueue.placeByObstacle(requirementQueue, nowMs);
  }

  /** Returns whether any step was removed. */
  #clearWaiting(schedulerRecord: SchedulerRecord<Execution>): boolean {
    this.#enqueueArrivals();
    const { waitSet } = schedulerRecord;
    if (waitSet === undefined) return false;
    schedulerRecord.waitSet = undefined;
    this.#waitingCount -= waitSet.size;
    waitSet.close();
    return waitSet.size > 0;
  }

  #acquire(schedulerRecord: SchedulerRecord<Execution>, step: number, claim: Claim): void {
    this.#addHeld(schedulerRecord, step, claim);
    schedulerRecord.fairnessSeq = ++this.#lastFairnessSeq;
    if (claim.isSlotOnly) return;
    const { requirement } = claim;
    this.#executionsBefore.forget();
    this.#waitQueue.acquire(claim, requirement.isTimed ? this.#time.monotonic() : 0);
    requirement.breaker?.onStarted(schedulerRecord, step);
  }

  #addHeld(schedulerRecord: SchedulerRecord<Execution>, step: number, claim: Claim): void {
    schedulerRecord.held.set(step, claim);
    this.#usedSlots++;
    if (!claim.isSlotOnly && schedulerRecord.heldWithResources++ === 0) this.#resourceHolders.add(schedulerRecord);
  }

  #returnResources(
    schedulerRecord: AnyRecord,
    step: number,
    claim: Claim,
    kept: readonly ResourceDemand[],
    attempt?: object,
  ): void {
    if (--schedulerRecord.heldWithResources === 0) this.#resourceHolders.delete(schedulerRecord);
    // A probe that neither succeeded nor failed gives up its role (`breaker.ts`).
    const { breaker, demands } = claim.requirement;
    if (breaker?.isClosed === false)
      this.#waitQueue.reportToBreaker(claim, { schedulerRecord, step, result: "other" }, this.#time.monotonic());
    if (attempt !== undefined) this.onExited(attempt);
    if (attempt === undefined || kept.length === 0) return this.#waitQueue.release(demands);
    this.#waitQueue.release(demands.filter((demand) => !kept.includes(demand)));
    this.#lingering.set(attempt, { schedulerRecord, step, kept });
    this.#waitQueue.addLingering(kept, this.#time.monotonic());
  }

  /** Grants waiting steps until no slot is free or no step can run. */
  #grantWaiting(): void {
    this.#executionsBefore.forget();
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
    const { schedulerRecord } = executionGroup;
    const waitSet = schedulerRecord.waitSet!;
    if (schedulerRecord.held.size >= this.#concurrencyLimit(schedulerRecord)) return waitSet.skip(executionGroup);
    const { requirementQueue } = executionGroup;
    if (!requirementQueue.requirement.isEmpty && !this.#waitQueue.placeByObstacle(requirementQueue, nowMs)) return;
    const isBelowLimit = (other: SchedulerRecord<unknown>): boolean => other.held.size < this.#concurrencyLimit(other);
    const probe = this.#waitQueue.probe(requirementQueue.requirement, nowMs, isBelowLimit);
    if (probe !== undefined) return this.#grantStep(probe, probe.steps.first, nowMs);
    const claimQueue = executionGroup.first!;
    if (waitSet.settings.custom === undefined) return this.#grantStep(claimQueue, claimQueue.steps.first, nowMs);
    const chosen = this.#strategyRunner.select(claimQueue, waitSet.settings.custom, nowMs);
    this.#grantStep(chosen.queue, chosen.step, nowMs);
  }

  #grantStep(claimQueue: ClaimQueue, step: number, nowMs: number): void {
    const schedulerRecord = claimQueue.executionGroup.schedulerRecord as SchedulerRecord<Execution>;
    schedulerRecord.ageingSinceMs = nowMs;
    this.#acquire(schedulerRecord, step, claimQueue.claim);
    schedulerRecord.waitSet!.delete(claimQueue, step);
    this.#waitingCount--;
    if (!claimQueue.claim.isSlotOnly) this.#waitQueue.onGranted(claimQueue.executionGroup.requirementQueue, nowMs);
    this.#ports.grant(schedulerRecord.execution, step);
  }

  #requestWake(dueAtMs: number | undefined): void {
    if (dueAtMs === this.#requestedWakeMs) return;
    this.#requestedWakeMs = dueAtMs;
    this.#ports.requestWake(dueAtMs);
  }
}

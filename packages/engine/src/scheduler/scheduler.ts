// The scheduler: who may run now, over all executions of the engine (SCHED-1 to SCHED-7).
//
// A step asks with its claim. It is granted at once where there is room, and waits on the wait queue otherwise. It never looks at a
// clock of its own and sets no timer: it says when it wants to be woken.
//
//   G1. A slot is held from its grant until its release, and never twice for the same step.
//   G2. A request that its limits hold back does not hold back those behind it (SCHED-3).
//   G3. Nothing is lost: a request is granted, withdrawn or still waiting.
//   G4. Between two calls, whoever could run does: if a slot is free, everybody who waits is held up by something else. So
//       who asks and fits overtakes nobody. A turn is one call: everything that is asked for and given back in it counts at
//       its end, so that steps that become ready together are granted by their order and not by that of their declaration.
//   G5. What a step needs it gets all at once or not at all, and while it waits it has nothing. Together with V1 of the
//       reservations this is why there is no deadlock.
//   G6. No grant ever takes more of a resource than its bound allows. Attempts that run already when they are heard of are
//       counted even so.
//
// Not its job: when a step is ready, what a grant leads to, and what becomes of attempts.

import type { AttemptResult } from "./resources/breaker.ts";
import type { Claim } from "./resources/claim.ts";
import type { ResourceAmount } from "./resources/resource.ts";
import type { SchedulingEntry } from "./scheduling-entry.ts";
import { areFirstCome, Arrivals, type ArrivalRun } from "./arrivals.ts";
import { WaitQueue, keptAmounts, NOTHING } from "./wait-queue.ts";
import { StrategyRunner } from "./strategy-runner.ts";
import { reasonsFor, PositionCache, type AbandonedStep } from "./explanation.ts";
import type { ClaimQueue } from "./claim-queue.ts";
import { ExecutionWaitSet } from "./execution-wait-set.ts";
import type { ExecutionGroup } from "./execution-group.ts";
import type { RunningStep, SchedulerLimits, SchedulerPorts } from "./scheduler-ports.ts";
import { SchedulerTime } from "./scheduler-time.ts";
import { toOrder, type StrategyOrder, type Strategy } from "./strategy.ts";
import type { WaitReason } from "./wait-reason.ts";

export class Scheduler<Owner> {
  readonly #slots: number;
  readonly #ports: SchedulerPorts<Owner>;
  readonly #order: StrategyOrder;
  readonly #time: SchedulerTime;
  readonly #waitQueue: WaitQueue;
  readonly #strategyRunner: StrategyRunner;
  /** Accounts that hold more than slots. */
  readonly #resourceHolders = new Set<SchedulingEntry<unknown>>();
  /** What attempts hold that were given up and still run. */
  readonly #abandoned = new Map<object, AbandonedStep>();
  readonly #positions = new PositionCache();
  readonly #arrivals = new Arrivals<Owner>();
  /** A turn goes on. */
  #isCorked = false;
  /** Something has changed in it that may let somebody who waits go on. */
  #isDue = false;
  #used = 0;
  #waiting = 0;
  #fairnessSeq = 0;
  #askedMs: number | undefined;
  #isServing = false;
  #isClosed = false;

  constructor(limits: SchedulerLimits, ports: SchedulerPorts<Owner>, strategy: Strategy = "priority") {
    this.#slots = limits.slots;
    this.#ports = ports;
    this.#order = toOrder(strategy);
    this.#time = new SchedulerTime(ports.clock);
    this.#waitQueue = new WaitQueue(this.#time);
    this.#strategyRunner = new StrategyRunner(this.#waitQueue, ports);
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Nothing is granted any more; what asks waits. */
  close(): void {
    this.#isClosed = true;
    this.#ask(undefined);
  }

  /** A turn: what `work` asks for and gives back counts when it is over, or when it says `settle` (G4). */
  cork(work: () => void): void {
    if (this.#isCorked) return work();
    this.#isCorked = true;
    try {
      work();
    } finally {
      this.settle();
      this.#isCorked = false;
    }
  }

  /** What was asked for and given back in this turn so far counts now. */
  settle(): void {
    if (this.#arrivals.isEmpty && !this.#isDue) return;
    const isFreer = this.#isDue && this.#waiting > 0;
    const wasGathering = this.#isCorked;
    this.#isDue = false;
    this.#isCorked = false;
    if (isFreer || !this.#arrivals.isEmpty) this.#decideBetween(this.#arrivals.take(), isFreer);
    this.#isCorked = wasGathering;
  }

  /** Grants at once where there is room, later otherwise; within a turn, at its end. */
  request(account: SchedulingEntry<Owner>, step: number, claim: Claim): void {
    if (this.#isCorked) this.#arrivals.add(account, step, claim);
    else this.#admit(account, step, claim);
  }

  #decideBetween(runs: readonly ArrivalRun<Owner>[], isFreer: boolean): void {
    if (isFreer || !areFirstCome(runs, this.#order, this.#slots - this.#used)) {
      this.#ringDue();
      this.#lineUp(runs);
      this.#serve();
    } else for (const { account, claim, steps } of runs) for (const step of steps) this.#admit(account, step, claim);
  }

  #lineUp(runs: readonly ArrivalRun<Owner>[]): void {
    const nowMs = this.#time.now();
    for (const { account, claim, steps } of runs)
      for (const step of steps) if (!this.#isKnown(account, step)) this.#join(account, step, claim, nowMs);
  }

  #isKnown({ held, waiting: waitSet }: SchedulingEntry<Owner>, step: number): boolean {
    // It was asked for before, and withdrawn when its grant was already on the way: that grant will do (G1).
    return held.has(step) || (waitSet !== undefined && waitSet.queueOfStep(step) !== undefined);
  }

  /** Who has asked in this turn waits like all others: somebody is to leave, and may be among them. */
  #lineUpAll(): void {
    if (this.#arrivals.isEmpty) return;
    this.#lineUp(this.#arrivals.take());
    this.#isDue = true;
  }

  #admit(account: SchedulingEntry<Owner>, step: number, claim: Claim): void {
    if (this.#isKnown(account, step)) return;
    if (!claim.isSlotOnly && !this.#waitQueue.alarms.isEmpty && this.#ringDue()) this.#serve();
    if (this.#hasRoom(account) && (claim.isSlotOnly || this.#fits(claim))) {
      if (account.waiting !== undefined && account.waiting.size > 0) account.lastServedMs = this.#time.now();
      this.#take(account, step, claim);
      this.#ports.grant(account.owner, step);
    } else {
      this.#join(account, step, claim, this.#time.now());
      this.#serve();
    }
  }

  /** Takes what is already in use: an attempt that runs although its execution was folded again, or that a crash left. */
  occupy(account: SchedulingEntry<Owner>, step: number, claim: Claim, startedAtMs?: number): void {
    if (account.held.has(step)) return;
    this.withdraw(account, step);
    this.#hold(account, step, claim);
    if (claim.isSlotOnly) return;
    const nowMs = this.#time.now();
    this.#waitQueue.take(
      claim,
      startedAtMs === undefined ? nowMs : Math.min(nowMs, this.#time.fromWallClock(startedAtMs)),
    );
  }

  /**
   * The slot is free, and what was held with it; unless something of the attempt still runs, which is named by a token: then
   * that is free when the token has settled (CANCEL-2). Returns what is still held. How it ended is told before, by `ended`.
   */
  release(
    account: SchedulingEntry<unknown>,
    step: number,
    stillRuns?: object,
    isAbandoned = false,
  ): readonly ResourceAmount[] {
    const claim = account.held.get(step);
    if (claim === undefined) return NOTHING;
    account.held.delete(step);
    this.#used--;
    const kept = stillRuns === undefined ? NOTHING : keptAmounts(claim, isAbandoned);
    if (!claim.isSlotOnly) this.#giveBack(account, step, claim, kept, stillRuns);
    account.waiting?.unskip();
    if (this.#waiting > 0) this.#serve();
    return kept;
  }

  /** What was given up and still ran has ended at last. */
  onExited(token: object): void {
    const given = this.#abandoned.get(token);
    if (given === undefined) return;
    this.#abandoned.delete(token);
    this.#waitQueue.markLeaked(given.kept, -1, this.#time.now());
    this.#waitQueue.giveBack(given.kept);
    this.#serve();
  }

  /** How the attempt of a step ended that has not been released yet; its breaker wants to know (FAIL-6). */
  onEnded(account: SchedulingEntry<unknown>, step: number, result: AttemptResult): void {
    const claim = account.held.get(step);
    if (claim?.requirement.breaker === undefined) return;
    this.#waitQueue.onEnded(claim, { account, step, result }, this.#time.now());
    if (this.#waiting > 0) this.#serve();
  }

  /** One that holds its slot already, because its grant is on the way, does not wait. */
  withdraw(account: SchedulingEntry<Owner>, step: number): void {
    this.#lineUpAll();
    const queue = account.waiting?.queueOfStep(step);
    if (queue === undefined) return;
    account.waiting!.delete(queue, step);
    this.#waiting--;
    this.#serve();
  }

  withdrawAll(account: SchedulingEntry<Owner>): void {
    if (!this.#dismiss(account)) return;
    this.#serve();
  }

  /** Everything of an owner that has ended, or is let go. */
  forget(account: SchedulingEntry<Owner>): void {
    this.#clear(account);
    this.#serve();
  }

  /** An owner that was folded again: what runs of it keeps what it has, and nobody gets that in between (G6). */
  renew(account: SchedulingEntry<Owner>, running: readonly RunningStep[]): void {
    this.#clear(account);
    for (const { step, claim, startedAtMs } of running) this.occupy(account, step, claim, startedAtMs);
    this.#serve();
  }

  #clear(account: SchedulingEntry<Owner>): void {
    this.#dismiss(account);
    for (const [step, claim] of account.held) {
      account.held.delete(step);
      this.#used--;
      if (!claim.isSlotOnly) this.#giveBack(account, step, claim, NOTHING);
    }
  }

  /** The time has come that was asked for. */
  wake(): void {
    this.#askedMs = undefined;
    this.#waitQueue.alarms.ringUntil(this.#time.now());
    this.#serve();
  }

  /** Every reason why a step waits at the moment; none when it does not wait (SCHED-7). */
  why(account: SchedulingEntry<Owner>, step: number): readonly WaitReason<Owner>[] {
    const queue = account.waiting?.queueOfStep(step);
    if (queue === undefined) return [];
    const reasons = reasonsFor(
      { account, step, queue },
      {
        waitQueue: this.#waitQueue,
        time: this.#time,
        slots: { used: this.#used, max: this.#slots },
        executionMax: this.#concurrencyLimit(account),
        isClosing: this.#isClosed,
        positions: this.#positions,
        resourceHolders: this.#resourceHolders,
        abandoned: this.#abandoned,
      },
    );
    return reasons as readonly WaitReason<Owner>[];
  }

  #concurrencyLimit(account: SchedulingEntry<unknown>): number {
    return Math.min(account.limit, this.#order.atOnce);
  }

  /** While others are being served, who asks waits for its turn. */
  #hasRoom({ held, limit }: SchedulingEntry<Owner>): boolean {
    if (this.#used >= this.#slots || held.size >= limit || held.size >= this.#order.atOnce) return false;
    return !this.#isClosed && !this.#isServing;
  }

  #fits({ requirement }: Claim): boolean {
    const isTimed = requirement.isTimed || requirement.breaker?.isClosed === false;
    return this.#waitQueue.fits(requirement, isTimed ? this.#time.now() : 0);
  }

  /** Who has waited for a time that has come goes first, also when the call that tells of it is late. True when it has. */
  #ringDue(): boolean {
    const { alarms } = this.#waitQueue;
    if (alarms.isEmpty) return false;
    const nowMs = this.#time.now();
    if (alarms.dueAtMs! > nowMs) return false;
    alarms.ringUntil(nowMs);
    return true;
  }

  #join(account: SchedulingEntry<Owner>, step: number, claim: Claim, nowMs: number): void {
    const waitSet = (account.waiting ??= this.#newWaitSet(account));
    if (waitSet.size === 0) this.#beginToWait(account, nowMs);
    const queue = waitSet.queueForClaim(claim);
    const isFirst = queue.group.queue.isEmpty;
    if (account.held.size >= this.#concurrencyLimit(account)) waitSet.skip(queue.group);
    waitSet.add(queue, step, this.#time.uniqueNow(nowMs), this.#rank(account, step, waitSet.order));
    this.#waiting++;
    if (isFirst && !claim.isSlotOnly && !queue.group.queue.isEmpty) this.#waitQueue.tryAdmit(queue.group.queue, nowMs);
  }

  #beginToWait(account: SchedulingEntry<Owner>, nowMs: number): void {
    account.lastServedMs = nowMs;
    account.fairnessSeq = ++this.#fairnessSeq;
  }

  #newWaitSet(account: SchedulingEntry<Owner>): ExecutionWaitSet {
    return new ExecutionWaitSet(account, account.order ?? this.#order, (requirement) =>
      this.#waitQueue.queueFor(requirement),
    );
  }

  #rank({ owner }: SchedulingEntry<Owner>, step: number, { ranking }: StrategyOrder): number {
    if (ranking === "none") return 0;
    return ranking === "declaration" ? step : -this.#ports.weight(owner, step);
  }

  /** True when somebody left. */
  #dismiss(account: SchedulingEntry<Owner>): boolean {
    this.#lineUpAll();
    const { waiting: waitSet } = account;
    if (waitSet === undefined) return false;
    account.waiting = undefined;
    this.#waiting -= waitSet.size;
    waitSet.close();
    return waitSet.size > 0;
  }

  #take(account: SchedulingEntry<Owner>, step: number, claim: Claim): void {
    this.#hold(account, step, claim);
    account.fairnessSeq = ++this.#fairnessSeq;
    if (claim.isSlotOnly) return;
    const { requirement } = claim;
    this.#positions.forget();
    this.#waitQueue.take(claim, requirement.isTimed ? this.#time.now() : 0);
    requirement.breaker?.onStarted(account, step);
  }

  #hold(account: SchedulingEntry<Owner>, step: number, claim: Claim): void {
    account.held.set(step, claim);
    this.#used++;
    if (!claim.isSlotOnly && account.resourceHolders++ === 0) this.#resourceHolders.add(account);
  }

  #giveBack(
    account: SchedulingEntry<unknown>,
    step: number,
    claim: Claim,
    kept: readonly ResourceAmount[],
    token?: object,
  ): void {
    if (--account.resourceHolders === 0) this.#resourceHolders.delete(account);
    // Whoever was a probe and ended in neither way leaves its place.
    const { breaker, amounts } = claim.requirement;
    if (breaker?.isClosed === false)
      this.#waitQueue.onEnded(claim, { account, step, result: "other" }, this.#time.now());
    if (token !== undefined) this.onExited(token);
    if (token === undefined || kept.length === 0) return this.#waitQueue.giveBack(amounts);
    this.#waitQueue.giveBack(amounts.filter((amount) => !kept.includes(amount)));
    this.#abandoned.set(token, { account, step, kept });
    this.#waitQueue.markLeaked(kept, 1, this.#time.now());
  }

  /** Grants until there is no slot, or nobody who could use it. */
  #serve(): void {
    this.#positions.forget();
    if (this.#isCorked) this.#isDue = true;
    if (this.#isServing || this.#isClosed || this.#isCorked) return;
    this.#isServing = true;
    try {
      let group = this.#next();
      for (const nowMs = group === undefined ? 0 : this.#time.now(); group !== undefined; group = this.#next())
        this.#look(group, nowMs);
    } finally {
      this.#isServing = false;
    }
    this.#ask(this.#waitQueue.alarms.dueAtMs);
  }

  #next(): ExecutionGroup | undefined {
    return this.#used < this.#slots ? this.#waitQueue.first : undefined;
  }

  /** Grants one of its steps, unless it turns out that something holds it up. */
  #look(group: ExecutionGroup, nowMs: number): void {
    const { entry } = group;
    const waitSet = entry.waiting!;
    if (entry.held.size >= this.#concurrencyLimit(entry)) return waitSet.skip(group);
    const { queue } = group;
    if (!queue.requirement.isEmpty && !this.#waitQueue.tryAdmit(queue, nowMs)) return;
    const probe = this.#waitQueue.probe(
      queue.requirement,
      nowMs,
      (other) => other.held.size < this.#concurrencyLimit(other),
    );
    if (probe !== undefined) return this.#serveOne(probe, probe.steps.first, nowMs);
    const lane = group.first!;
    if (waitSet.order.strategy === undefined) return this.#serveOne(lane, lane.steps.first, nowMs);
    const chosen = this.#strategyRunner.select(lane, waitSet.order.strategy, nowMs);
    this.#serveOne(chosen.queue, chosen.step, nowMs);
  }

  #serveOne(queue: ClaimQueue, step: number, nowMs: number): void {
    const account = queue.group.entry as SchedulingEntry<Owner>;
    account.lastServedMs = nowMs;
    this.#take(account, step, queue.claim);
    account.waiting!.delete(queue, step);
    this.#waiting--;
    if (!queue.claim.isSlotOnly) this.#waitQueue.onGranted(queue.group.queue, nowMs);
    this.#ports.grant(account.owner, step);
  }

  #ask(dueAtMs: number | undefined): void {
    if (dueAtMs === this.#askedMs) return;
    this.#askedMs = dueAtMs;
    this.#ports.wakeAt(dueAtMs);
  }
}

// The wait queue: who waits, in the order of SCHED-2, and what holds them up.
//
// Steps stand in claim queues, claim queues in the execution group of their execution, stands in the queue of their need, queues at a blocked group, and open
// blocked groups on the wait queue. Each of them ranks like its first, so the next step is found by following firsts.
//
//   D1. Whether a need can be met is looked at when its queue comes first, and then for the whole queue. What cannot go on is
//       moved to the closed blocked group of what holds it up, where nobody looks at it until that has changed (SCHED-3, SCHED-6).
//   D2. A closed blocked group is opened by whatever might let somebody through: less in use, a reservation that ended, a breaker that
//       cooled down. It never stays closed although its first could go on.
//   D3. Every look ends in a grant, in an execution group that is set aside, or in a queue behind a closed blocked group: looking ends.

import type { AttemptResult, Breaker } from "./resources/breaker.ts";
import type { Claim, Requirement } from "./resources/claim.ts";
import type { Meter } from "./resources/meter.ts";
import type { Resource, ResourceAmount } from "./resources/resource.ts";
import { QuotaWindow } from "./resources/quota-window.ts";
import type { SchedulingEntry } from "./scheduling-entry.ts";
import { ScheduledAlarm, Alarms } from "./alarms.ts";
import { BlockedGroup } from "./blocked-group.ts";
import { Heap } from "../collections/heap.ts";
import { Group } from "./group.ts";
import type { ClaimQueue } from "./claim-queue.ts";
import { RequirementQueue } from "./requirement-queue.ts";
import { Reservations } from "./reservations.ts";
import type { Retries } from "./retries.ts";
import type { ExecutionGroup } from "./execution-group.ts";
import type { WaitSetQueues } from "./execution-wait-set.ts";
import type { SchedulerTime } from "./scheduler-time.ts";

export interface AttemptEnd {
  readonly account: object;
  readonly step: number;
  readonly result: AttemptResult;
}

export class WaitQueue implements WaitSetQueues {
  readonly alarms: Alarms = new Alarms();
  readonly #time: SchedulerTime;
  readonly #open = new Group<BlockedGroup<RequirementQueue>>(undefined);
  /** Where nobody is held up by anything. */
  readonly #unblocked = new BlockedGroup<RequirementQueue>(this.#open);
  readonly #queues = new WeakMap<Requirement, RequirementQueue>();
  readonly #retries = new WeakMap<Breaker, Heap<Retries<ClaimQueue>>>();
  readonly reservations: Reservations = new Reservations({
    alarms: this.alarms,
    onChanged: (resource) => unblockReserved(resource),
    onReserved: (queue, nowMs) => void this.tryAdmit(queue, nowMs),
  });

  constructor(time: SchedulerTime) {
    this.#time = time;
  }

  /** The execution group whose turn it is. */
  get first(): ExecutionGroup | undefined {
    for (;;) {
      const group = this.#open.first?.first?.first;
      if (group === undefined || !group.isStale) return group;
      group.refresh();
    }
  }

  /** Everybody whom nothing holds up as far as is known. */
  *runnableGroups(): Generator<ExecutionGroup> {
    for (const blockedGroup of this.#open.members) for (const queue of blockedGroup.members) yield* queue.members;
  }

  queueFor(requirement: Requirement): RequirementQueue {
    let queue = this.#queues.get(requirement);
    if (queue === undefined) {
      queue = new RequirementQueue(requirement, this.#unblocked, (emptied) => this.#onQueueEmptied(emptied));
      this.#queues.set(requirement, queue);
    }
    return queue;
  }

  /** The steps that wait for a breaker and were tried before, the oldest first. */
  retriesFor(breaker: Breaker): Heap<Retries<ClaimQueue>> {
    let retries = this.#retries.get(breaker);
    if (retries === undefined) this.#retries.set(breaker, (retries = new Heap()));
    return retries;
  }

  /** Whether a need can be met now. */
  fits(requirement: Requirement, nowMs: number): boolean {
    if (requirement.breaker !== undefined && !requirement.breaker.canPass(nowMs)) return false;
    for (const amount of requirement.amounts)
      if (!isWithin(amount, nowMs) || this.isReservedForOther(amount, requirement, nowMs)) return false;
    return true;
  }

  /** Whether somebody else's reservation leaves too little. */
  isReservedForOther(amount: ResourceAmount, requirement: Requirement, nowMs: number): boolean {
    const reservation = this.reservations.current(amount.resource);
    if (reservation === undefined || reservation.queue.requirement === requirement) return false;
    return reservation.amount.meter.usedAt(nowMs) + amount.amount > reservation.amount.threshold;
  }

  /** Whether a queue may go on; if not, it stands at the blocked group of what holds it up when this returns. */
  tryAdmit(queue: RequirementQueue, nowMs: number): boolean {
    const { requirement } = queue;
    if (requirement.breaker !== undefined && !requirement.breaker.canPass(nowMs))
      return this.#blockOnBreaker(queue, requirement.breaker, nowMs);
    // Behind a reservation first: as long as one follows the other, everybody else stays where it is.
    for (const amount of requirement.amounts)
      if (this.isReservedForOther(amount, requirement, nowMs))
        return this.#block(queue, this.#blockedByReservation(amount), nowMs);
    for (const amount of requirement.amounts)
      if (!isWithin(amount, nowMs)) return this.#block(queue, this.#blockedByUse(amount), nowMs);
    queue.moveTo(this.#unblocked);
    return true;
  }

  /** Who tries whether an agent works again: the oldest retry that could go on. Nobody while its breaker is closed (FAIL-6). */
  probe(
    { breaker }: Requirement,
    nowMs: number,
    hasRoom: (account: SchedulingEntry<unknown>) => boolean,
  ): ClaimQueue | undefined {
    if (breaker === undefined || breaker.isClosed) return undefined;
    const couldGo = ({ queue }: Retries<ClaimQueue>): boolean =>
      hasRoom(queue.group.entry) && this.fits(queue.claim.requirement, nowMs);
    const { first, all } = this.retriesFor(breaker);
    if (first === undefined || couldGo(first)) return first?.queue;
    return all.filter(couldGo).toSorted((a, b) => a.since - b.since)[0]?.queue;
  }

  /** Takes what a claim needs. What is used up counts from a time that may lie in the past. */
  take({ requirement: { amounts } }: Claim, usedAtMs: number): void {
    for (const { resource, meter, amount } of amounts)
      if (resource.kind === "capacity") meter.add(amount);
      else resource.use(usedAtMs, amount);
  }

  giveBack(amounts: readonly ResourceAmount[]): void {
    for (const { resource, meter, amount } of amounts) {
      if (resource.kind !== "capacity") continue;
      meter.remove(amount);
      this.#unblockBelow(resource, meter, meter.usedAt(0));
    }
  }

  /** An attempt that was given up holds on to what it has, or lets go of it at last. */
  markLeaked(amounts: readonly ResourceAmount[], direction: 1 | -1, nowMs: number): void {
    for (const { resource, meter, amount } of amounts) {
      meter.markLeaked(amount * direction);
      if (direction === 1) this.reservations.onLeaked(resource, nowMs);
    }
  }

  /** One of the queue was served: the next begins to wait. */
  onGranted(queue: RequirementQueue, nowMs: number): void {
    this.reservations.leave(queue, nowMs);
    if (!queue.isEmpty) this.tryAdmit(queue, nowMs);
  }

  /** An attempt has ended, as its breaker sees it. */
  onEnded({ requirement: { breaker } }: Claim, attempt: AttemptEnd, nowMs: number): void {
    if (breaker === undefined) return;
    const { account, step, result } = attempt;
    const isFreer = breaker.onEnded(account, step, result, nowMs);
    if (breaker.blocked === undefined || breaker.blocked.isEmpty) return;
    if (isFreer) breaker.blocked.unblock();
    else if (breaker.blocked.isBlocked) this.#awaitCooldown(breaker, breaker.blocked, nowMs);
  }

  #onQueueEmptied(queue: RequirementQueue): void {
    if (queue.reservationRequests === undefined) this.alarms.drop(queue.starvationTimer);
    else this.reservations.leave(queue, this.#time.now());
    queue.moveTo(this.#unblocked);
  }

  #block(queue: RequirementQueue, blockedGroup: BlockedGroup, nowMs: number): false {
    blockedGroup.block();
    queue.moveTo(blockedGroup);
    this.reservations.wait(queue, nowMs);
    return false;
  }

  #blockOnBreaker(queue: RequirementQueue, breaker: Breaker, nowMs: number): false {
    this.reservations.leave(queue, nowMs);
    const blockedGroup = (breaker.blocked ??= new BlockedGroup<RequirementQueue>(this.#open, () =>
      this.alarms.drop(breaker.alarm),
    ));
    blockedGroup.block();
    queue.moveTo(blockedGroup);
    this.#awaitCooldown(breaker, blockedGroup, nowMs);
    return false;
  }

  /** Once it has cooled down, it is the end of the probe that opens the blocked group. */
  #awaitCooldown(breaker: Breaker, blockedGroup: BlockedGroup, nowMs: number): void {
    const { openUntilMs } = breaker;
    if (openUntilMs === undefined || openUntilMs <= nowMs) return;
    breaker.alarm ??= new ScheduledAlarm(() => blockedGroup.unblock());
    this.alarms.set(breaker.alarm, openUntilMs);
  }

  /** Where those stand for whom too much is in use. */
  #blockedByUse({ resource, meter, threshold }: ResourceAmount): BlockedGroup {
    return this.#blockedGroup(meter.blocked, threshold, resource, meter);
  }

  /** Where those stand for whom too little is left beside what is kept for somebody else. */
  #blockedByReservation({ resource, amount }: ResourceAmount): BlockedGroup {
    return this.#blockedGroup(
      resource.blockedByReservation,
      amount,
      resource,
      this.reservations.current(resource)!.amount.meter,
    );
  }

  #blockedGroup(blockedGroups: Map<number, BlockedGroup>, key: number, resource: Resource, meter: Meter): BlockedGroup {
    let blockedGroup = blockedGroups.get(key);
    if (blockedGroup === undefined) {
      blockedGroup = new BlockedGroup<RequirementQueue>(this.#open, () =>
        this.#removeBlockedGroup(blockedGroups, key, resource),
      );
      blockedGroups.set(key, blockedGroup);
    }
    if (meter instanceof QuotaWindow) this.#watch(resource, meter);
    return blockedGroup;
  }

  #removeBlockedGroup(blockedGroups: Map<number, BlockedGroup>, key: number, resource: Resource): void {
    blockedGroups.delete(key);
    if (resource.kind === "capacity") return;
    for (const window of resource.meters) if (!this.#hasBlockedGroups(resource, window)) this.alarms.drop(window.alarm);
  }

  #watch(resource: Resource, window: QuotaWindow): void {
    const { expiresAtMs } = window;
    if (expiresAtMs === undefined) return;
    window.alarm ??= new ScheduledAlarm((nowMs) => this.#onWindowExpired(resource, window, nowMs));
    this.alarms.set(window.alarm, expiresAtMs);
  }

  #onWindowExpired(resource: Resource, window: QuotaWindow, nowMs: number): void {
    this.#unblockBelow(resource, window, window.usedAt(nowMs));
    if (this.#hasBlockedGroups(resource, window)) this.#watch(resource, window);
  }

  #hasBlockedGroups(resource: Resource, meter: Meter): boolean {
    if (meter.blocked.size > 0) return true;
    return resource.blockedByReservation.size > 0 && this.reservations.current(resource)?.amount.meter === meter;
  }

  /** Less is in use: who waited for that may look again. */
  #unblockBelow(resource: Resource, meter: Meter, used: number): void {
    for (const [threshold, blockedGroup] of meter.blocked) if (used <= threshold) blockedGroup.unblock();
    const reservation = this.reservations.current(resource);
    if (reservation?.amount.meter !== meter) return;
    for (const [amount, blockedGroup] of resource.blockedByReservation)
      if (used + amount <= reservation.amount.threshold) blockedGroup.unblock();
  }
}

export const NOTHING: readonly never[] = Object.freeze([]);

/** What an attempt that still runs holds on to. A limit of an agent or a step is like a slot: that is free at once. */
export function keptAmounts({ requirement }: Claim, isAbandoned: boolean): readonly ResourceAmount[] {
  return requirement.amounts.filter(
    ({ resource: { kind, role }, isReleased }) =>
      kind === "capacity" && role === "resource" && !(isAbandoned && isReleased),
  );
}

function isWithin({ meter, threshold }: ResourceAmount, nowMs: number): boolean {
  return meter.usedAt(nowMs) <= threshold;
}

/** What was kept may be free, or something else is kept. */
function unblockReserved({ blockedByReservation }: Resource): void {
  for (const blockedGroup of blockedByReservation.values()) blockedGroup.unblock();
}

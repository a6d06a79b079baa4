// The wait queue holds all waiting steps in the order of SCHED-2, and what blocks them.
//
// It is a tree of heaps. Steps are in claim queues (same execution, same claim), claim queues in execution groups (same
// execution, same requirement), execution groups in requirement queues (same requirement), and requirement queues in
// blocked groups (same obstacle). Each node ranks like its first member, so the next step is found by following the
// first members down.
//
//   D1. A requirement is checked when its queue comes first, once for the whole queue. A queue whose requirement is not
//       met moves to the blocked group of the obstacle, and is not checked again until that group is unblocked
//       (SCHED-3, SCHED-6).
//   D2. A blocked group is unblocked by everything that may let its first queue through: lower usage, the end of a
//       reservation, the end of a breaker's cooldown. It never stays blocked while its first queue could run.
//   D3. Every check ends in a grant, in a skipped execution group, or in a blocked queue, so the grant loop terminates.

import type { AttemptResult, Breaker } from "./resources/breaker.ts";
import type { Claim, Requirement } from "./resources/claim.ts";
import type { Meter } from "./resources/meter.ts";
import type { Resource, ResourceAmount } from "./resources/resource.ts";
import { QuotaWindow } from "./resources/quota-window.ts";
import {
  RequirementQueue,
  type ClaimQueue,
  type ExecutionGroup,
  type SchedulingEntry,
  type WaitSetQueues,
} from "./scheduling-entry.ts";
import { ScheduledAlarm, Alarms } from "./alarms.ts";
import { BlockedGroup } from "./blocked-group.ts";
import { Heap } from "../collections/heap.ts";
import { Group } from "./group.ts";
import { Reservations } from "./reservations.ts";
import type { Retries } from "./retries.ts";
import type { SchedulerTime } from "./scheduler-time.ts";

export interface AttemptEnd {
  readonly entry: object;
  readonly step: number;
  readonly result: AttemptResult;
}

export class WaitQueue implements WaitSetQueues {
  readonly alarms: Alarms = new Alarms();
  readonly #time: SchedulerTime;
  readonly #runnable = new Group<BlockedGroup<RequirementQueue>>(undefined);
  /** Queues that no known obstacle blocks. */
  readonly #unblocked = new BlockedGroup<RequirementQueue>(this.#runnable);
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

  /** The execution group that is next. A group whose execution was served through another group is re-ranked first. */
  get first(): ExecutionGroup | undefined {
    for (;;) {
      const group = this.#runnable.first?.first?.first;
      if (group === undefined || !group.isStale) return group;
      group.refresh();
    }
  }

  /** All execution groups with no known obstacle. */
  *runnableGroups(): Generator<ExecutionGroup> {
    for (const blockedGroup of this.#runnable.members) for (const queue of blockedGroup.members) yield* queue.members;
  }

  queueFor(requirement: Requirement): RequirementQueue {
    let queue = this.#queues.get(requirement);
    if (queue === undefined) {
      queue = new RequirementQueue(requirement, this.#unblocked, (emptied) => this.#onQueueEmptied(emptied));
      this.#queues.set(requirement, queue);
    }
    return queue;
  }

  /** The waiting retries of a breaker, the oldest first. */
  retriesFor(breaker: Breaker): Heap<Retries<ClaimQueue>> {
    let retries = this.#retries.get(breaker);
    if (retries === undefined) this.#retries.set(breaker, (retries = new Heap()));
    return retries;
  }

  /** Whether the requirement can be met now. */
  fits(requirement: Requirement, nowMs: number): boolean {
    if (requirement.breaker !== undefined && !requirement.breaker.canPass(nowMs)) return false;
    for (const amount of requirement.amounts)
      if (!isBelowThreshold(amount, nowMs) || this.isReservedForOther(amount, requirement, nowMs)) return false;
    return true;
  }

  /** Whether the reservation of another queue leaves too little of the resource. */
  isReservedForOther(amount: ResourceAmount, requirement: Requirement, nowMs: number): boolean {
    const reservation = this.reservations.current(amount.resource);
    if (reservation === undefined || reservation.queue.requirement === requirement) return false;
    return reservation.amount.meter.usedAt(nowMs) + amount.amount > reservation.amount.threshold;
  }

  /** Whether the queue may run; if not, it is moved to the blocked group of its obstacle. */
  tryAdmit(queue: RequirementQueue, nowMs: number): boolean {
    const { requirement } = queue;
    if (requirement.breaker !== undefined && !requirement.breaker.canPass(nowMs))
      return this.#blockOnBreaker(queue, requirement.breaker, nowMs);
    // Reservations are checked first: while one reservation follows another, the queues behind them need not move.
    for (const amount of requirement.amounts)
      if (this.isReservedForOther(amount, requirement, nowMs))
        return this.#block(queue, this.#blockedByReservation(amount), nowMs);
    for (const amount of requirement.amounts)
      if (!isBelowThreshold(amount, nowMs)) return this.#block(queue, this.#blockedByUse(amount), nowMs);
    queue.moveTo(this.#unblocked);
    return true;
  }

  /**
   * Selects the step that probes an open breaker: the oldest retry that can run. None while the breaker is closed
   * (FAIL-6).
   */
  probe(
    { breaker }: Requirement,
    nowMs: number,
    hasRoom: (entry: SchedulingEntry<unknown>) => boolean,
  ): ClaimQueue | undefined {
    if (breaker === undefined || breaker.isClosed) return undefined;
    const canRun = ({ queue }: Retries<ClaimQueue>): boolean =>
      hasRoom(queue.group.entry) && this.fits(queue.claim.requirement, nowMs);
    const { first, all } = this.retriesFor(breaker);
    if (first === undefined || canRun(first)) return first?.queue;
    return all.filter(canRun).toSorted((a, b) => a.since - b.since)[0]?.queue;
  }

  /** Acquires all amounts of a claim. Quota usage counts from `usedAtMs`, which may be in the past. */
  acquire({ requirement: { amounts } }: Claim, usedAtMs: number): void {
    for (const { resource, meter, amount } of amounts)
      if (resource.kind === "capacity") meter.add(amount);
      else resource.use(usedAtMs, amount);
  }

  release(amounts: readonly ResourceAmount[]): void {
    for (const { resource, meter, amount } of amounts) {
      if (resource.kind !== "capacity") continue;
      meter.remove(amount);
      this.#unblockBelow(resource, meter, meter.usedAt(0));
    }
  }

  /** Counts what an abandoned attempt still holds (`1`), or stops counting it when the attempt exits (`-1`). */
  markLeaked(amounts: readonly ResourceAmount[], direction: 1 | -1, nowMs: number): void {
    for (const { resource, meter, amount } of amounts) {
      meter.markLeaked(amount * direction);
      if (direction === 1) this.reservations.onLeaked(resource, nowMs);
    }
  }

  /** A step of the queue was granted, so the waiting time for a reservation starts again with the next step. */
  onGranted(queue: RequirementQueue, nowMs: number): void {
    this.reservations.cancel(queue, nowMs);
    if (!queue.isEmpty) this.tryAdmit(queue, nowMs);
  }

  /** Reports the end of an attempt to its breaker. */
  onEnded({ requirement: { breaker } }: Claim, attempt: AttemptEnd, nowMs: number): void {
    if (breaker === undefined) return;
    const { entry, step, result } = attempt;
    const hasFreed = breaker.onEnded(entry, step, result, nowMs);
    if (breaker.blocked === undefined || breaker.blocked.isEmpty) return;
    if (hasFreed) breaker.blocked.unblock();
    else if (breaker.blocked.isBlocked) this.#awaitCooldown(breaker, breaker.blocked, nowMs);
  }

  #onQueueEmptied(queue: RequirementQueue): void {
    if (queue.reservationRequests === undefined) this.alarms.cancel(queue.starvationTimer);
    else this.reservations.cancel(queue, this.#time.now());
    queue.moveTo(this.#unblocked);
  }

  #block(queue: RequirementQueue, blockedGroup: BlockedGroup, nowMs: number): false {
    blockedGroup.block();
    queue.moveTo(blockedGroup);
    this.reservations.onBlocked(queue, nowMs);
    return false;
  }

  #blockOnBreaker(queue: RequirementQueue, breaker: Breaker, nowMs: number): false {
    this.reservations.cancel(queue, nowMs);
    const blockedGroup = (breaker.blocked ??= new BlockedGroup<RequirementQueue>(this.#runnable, () =>
      this.alarms.cancel(breaker.alarm),
    ));
    blockedGroup.block();
    queue.moveTo(blockedGroup);
    this.#awaitCooldown(breaker, blockedGroup, nowMs);
    return false;
  }

  /** Unblocks the group when the cooldown ends. After the cooldown, the end of the probe does. */
  #awaitCooldown(breaker: Breaker, blockedGroup: BlockedGroup, nowMs: number): void {
    const { openUntilMs } = breaker;
    if (openUntilMs === undefined || openUntilMs <= nowMs) return;
    breaker.alarm ??= new ScheduledAlarm(() => blockedGroup.unblock());
    this.alarms.set(breaker.alarm, openUntilMs);
  }

  /** The group of queues that wait for lower usage. */
  #blockedByUse({ resource, meter, threshold }: ResourceAmount): BlockedGroup {
    return this.#blockedGroup(meter.blocked, threshold, resource, meter);
  }

  /** The group of queues that wait for the end of another queue's reservation. */
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
      blockedGroup = new BlockedGroup<RequirementQueue>(this.#runnable, () =>
        this.#removeBlockedGroup(blockedGroups, key, resource),
      );
      blockedGroups.set(key, blockedGroup);
    }
    if (meter instanceof QuotaWindow) this.#armWindowAlarm(resource, meter);
    return blockedGroup;
  }

  #removeBlockedGroup(blockedGroups: Map<number, BlockedGroup>, key: number, resource: Resource): void {
    blockedGroups.delete(key);
    if (resource.kind === "capacity") return;
    for (const window of resource.meters)
      if (!this.#hasBlockedGroups(resource, window)) this.alarms.cancel(window.alarm);
  }

  #armWindowAlarm(resource: Resource, window: QuotaWindow): void {
    const { expiresAtMs } = window;
    if (expiresAtMs === undefined) return;
    window.alarm ??= new ScheduledAlarm((nowMs) => this.#onWindowExpired(resource, window, nowMs));
    this.alarms.set(window.alarm, expiresAtMs);
  }

  #onWindowExpired(resource: Resource, window: QuotaWindow, nowMs: number): void {
    this.#unblockBelow(resource, window, window.usedAt(nowMs));
    if (this.#hasBlockedGroups(resource, window)) this.#armWindowAlarm(resource, window);
  }

  #hasBlockedGroups(resource: Resource, meter: Meter): boolean {
    if (meter.blocked.size > 0) return true;
    return resource.blockedByReservation.size > 0 && this.reservations.current(resource)?.amount.meter === meter;
  }

  /** Usage has dropped: unblocks the groups that now fit. */
  #unblockBelow(resource: Resource, meter: Meter, used: number): void {
    for (const [threshold, blockedGroup] of meter.blocked) if (used <= threshold) blockedGroup.unblock();
    const reservation = this.reservations.current(resource);
    if (reservation?.amount.meter !== meter) return;
    for (const [amount, blockedGroup] of resource.blockedByReservation)
      if (used + amount <= reservation.amount.threshold) blockedGroup.unblock();
  }
}

export const NOTHING: readonly never[] = Object.freeze([]);

/**
 * The capacities that an attempt keeps while it still runs. Limits of agents and steps are freed at once, like slots.
 */
export function keptAmounts({ requirement }: Claim, isAbandoned: boolean): readonly ResourceAmount[] {
  return requirement.amounts.filter(
    ({ resource: { kind, role }, isReleased }) =>
      kind === "capacity" && role === "resource" && !(isAbandoned && isReleased),
  );
}

function isBelowThreshold({ meter, threshold }: ResourceAmount, nowMs: number): boolean {
  return meter.usedAt(nowMs) <= threshold;
}

/** A reservation has begun or ended, so every group behind it has to be checked again. */
function unblockReserved({ blockedByReservation }: Resource): void {
  for (const blockedGroup of blockedByReservation.values()) blockedGroup.unblock();
}

// The wait queue holds all waiting steps in the order of SCHED-2, and what blocks them. The order is: priority plus the
// time for which the execution ages (`ageingSinceMs`), then the execution with the smallest `fairnessSeq`, then the
// step rank of the strategy, then the longest wait.
//
// It is a tree of heaps. Steps are in claim queues (same execution, same claim), claim queues in execution groups (same
// execution, same requirement), execution groups in requirement queues (same requirement), and requirement queues in
// obstacle groups (same obstacle) or in the group of free queues. Each node ranks like its first member, so the next
// step is found by following the first members down. The exception is an execution group that is stale on purpose
// (`ExecutionGroup.isStale`): `first` ranks it anew when it comes first.
//
//   D1. A requirement is checked when its queue comes first, once for the whole queue. A queue whose requirement is not
//       met moves to the group of the obstacle. That group is then excluded from the root, and its queues are not
//       checked again until it is included (SCHED-3, SCHED-6).
//   D2. An obstacle group is included by everything that may let its first queue through: lower usage, the end of a
//       reservation, the end of a breaker's cooldown. It never stays excluded while its first queue could run.
//   D3. Every check ends in a grant, in a skipped execution group, or in a blocked queue, so the grant loop terminates.

import type { AttemptResult, Breaker } from "./resources/breaker.ts";
import type { Claim, Requirement } from "./resources/claim.ts";
import type { Meter } from "./resources/meter.ts";
import type { Resource, ResourceDemand } from "./resources/resource.ts";
import { QuotaWindow } from "./resources/quota-window.ts";
import {
  RequirementQueue,
  type ClaimQueue,
  type ExecutionGroup,
  type SchedulerRecord,
  type WaitSetQueues,
} from "./scheduler-record.ts";
import { ScheduledAlarm, Alarms } from "./alarms.ts";
import { ObstacleGroup } from "./obstacle-group.ts";
import { Heap } from "../collections/heap.ts";
import { Group } from "./group.ts";
import { Reservations } from "./reservations.ts";
import type { ProbeCandidate } from "./probe-candidate.ts";
import type { SchedulerTime } from "./scheduler-time.ts";

export interface AttemptEnd {
  readonly schedulerRecord: object;
  readonly step: number;
  readonly result: AttemptResult;
}

export class WaitQueue implements WaitSetQueues {
  readonly alarms: Alarms = new Alarms();
  readonly #time: SchedulerTime;
  /** The root of the tree: the group of free queues, and the obstacle groups that are not excluded. */
  readonly #includedGroups = new Group<Group<RequirementQueue>>(undefined);
  /** The queues without a known obstacle; never excluded. */
  readonly #freeQueues = new Group<RequirementQueue>(this.#includedGroups);
  readonly #queues = new WeakMap<Requirement, RequirementQueue>();
  readonly #probeCandidates = new WeakMap<Breaker, Heap<ProbeCandidate<ClaimQueue>>>();
  readonly reservations: Reservations = new Reservations({
    alarms: this.alarms,
    onChanged: (resource) => includeReserved(resource),
    onReserved: (requirementQueue, nowMs) => void this.placeByObstacle(requirementQueue, nowMs),
  });

  constructor(time: SchedulerTime) {
    this.#time = time;
  }

  /** The execution group that is next. A stale group is re-ranked first. */
  get first(): ExecutionGroup | undefined {
    for (;;) {
      const group = this.#includedGroups.first?.first?.first;
      if (group === undefined || !group.isStale) return group;
      group.refresh();
    }
  }

  /** The execution groups that neither an obstacle nor the concurrency limit of their execution is known to block. */
  *includedExecutionGroups(): Generator<ExecutionGroup> {
    for (const obstacleGroup of this.#includedGroups.members)
      for (const requirementQueue of obstacleGroup.members) yield* requirementQueue.members;
  }

  requirementQueueFor(requirement: Requirement): RequirementQueue {
    let requirementQueue = this.#queues.get(requirement);
    if (requirementQueue === undefined) {
      requirementQueue = new RequirementQueue(requirement, this.#freeQueues, (emptied) =>
        this.#onQueueEmptied(emptied),
      );
      this.#queues.set(requirement, requirementQueue);
    }
    return requirementQueue;
  }

  /** The waiting retries of a breaker, the oldest first. */
  probeCandidatesFor(breaker: Breaker): Heap<ProbeCandidate<ClaimQueue>> {
    let candidates = this.#probeCandidates.get(breaker);
    if (candidates === undefined) this.#probeCandidates.set(breaker, (candidates = new Heap()));
    return candidates;
  }

  /** Whether the requirement can be met now. */
  fits(requirement: Requirement, nowMs: number): boolean {
    if (requirement.breaker !== undefined && !requirement.breaker.canPass(nowMs)) return false;
    for (const demand of requirement.demands)
      if (!isBelowThreshold(demand, nowMs) || this.isReservedForOther(demand, requirement, nowMs)) return false;
    return true;
  }

  /** Whether the reservation of another queue leaves too little of the resource. */
  isReservedForOther(demand: ResourceDemand, requirement: Requirement, nowMs: number): boolean {
    const reservation = this.reservations.current(demand.resource);
    if (reservation === undefined || reservation.queue.requirement === requirement) return false;
    return reservation.demand.meter.usedAt(nowMs) + demand.amount > reservation.demand.threshold;
  }

  /**
   * Checks the requirement and moves the queue to the group of its obstacle, or to the free queues. Returns whether
   * the requirement can be met. Grants nothing.
   */
  placeByObstacle(requirementQueue: RequirementQueue, nowMs: number): boolean {
    const { requirement } = requirementQueue;
    if (requirement.breaker !== undefined && !requirement.breaker.canPass(nowMs))
      return this.#blockOnBreaker(requirementQueue, requirement.breaker, nowMs);
    // Reservations are checked before usage. So a queue that waits for both is in the resource's reservation group and
    // stays there when the next reservation becomes active.
    for (const demand of requirement.demands)
      if (this.isReservedForOther(demand, requirement, nowMs))
        return this.#block(requirementQueue, this.#reservationGroup(demand), nowMs);
    for (const demand of requirement.demands)
      if (!isBelowThreshold(demand, nowMs)) return this.#block(requirementQueue, this.#usageGroup(demand), nowMs);
    requirementQueue.moveTo(this.#freeQueues);
    return true;
  }

  /**
   * Selects the step that probes an open breaker: the oldest retry that can run. None while the breaker is closed
   * (FAIL-6).
   */
  probe(
    { breaker }: Requirement,
    nowMs: number,
    isBelowLimit: (schedulerRecord: SchedulerRecord<unknown>) => boolean,
  ): ClaimQueue | undefined {
    if (breaker === undefined || breaker.isClosed) return undefined;
    const canRun = ({ queue: claimQueue }: ProbeCandidate<ClaimQueue>): boolean =>
      isBelowLimit(claimQueue.executionGroup.schedulerRecord) && this.fits(claimQueue.claim.requirement, nowMs);
    const { first, all } = this.probeCandidatesFor(breaker);
    if (first === undefined || canRun(first)) return first?.queue;
    return all.filter(canRun).toSorted((a, b) => a.since - b.since)[0]?.queue;
  }

  /** Acquires all amounts of a claim. Quota usage counts from `usedAtMs`, which may be in the past. */
  acquire({ requirement: { demands } }: Claim, usedAtMs: number): void {
    for (const { resource, meter, amount } of demands)
      if (resource.kind === "capacity") meter.add(amount);
      else resource.use(usedAtMs, amount);
  }

  release(demands: readonly ResourceDemand[]): void {
    for (const { resource, meter, amount } of demands) {
      if (resource.kind !== "capacity") continue;
      meter.remove(amount);
      this.#includeBelow(resource, meter, meter.usedAt(0));
    }
  }

  /** Counts what a lingering attempt holds. */
  addLingering(demands: readonly ResourceDemand[], nowMs: number): void {
    for (const { resource, meter, amount } of demands) {
      meter.addLingering(amount);
      this.reservations.onLingering(resource, nowMs);
    }
  }

  /** The lingering attempt has exited. */
  removeLingering(demands: readonly ResourceDemand[]): void {
    for (const { meter, amount } of demands) meter.removeLingering(amount);
  }

  /** A step of the queue was granted, so the waiting time for a reservation starts again with the next step. */
  onGranted(requirementQueue: RequirementQueue, nowMs: number): void {
    this.reservations.cancel(requirementQueue, nowMs);
    if (!requirementQueue.isEmpty) this.placeByObstacle(requirementQueue, nowMs);
  }

  /** Reports the end of an attempt to its breaker. */
  reportToBreaker({ requirement: { breaker } }: Claim, attempt: AttemptEnd, nowMs: number): void {
    if (breaker === undefined) return;
    const { schedulerRecord, step, result } = attempt;
    const mayMorePass = breaker.onEnded(schedulerRecord, step, result, nowMs);
    if (breaker.obstacleGroup === undefined || breaker.obstacleGroup.isEmpty) return;
    if (mayMorePass) breaker.obstacleGroup.include();
    else if (breaker.obstacleGroup.isExcluded) this.#awaitCooldown(breaker, breaker.obstacleGroup, nowMs);
  }

  #onQueueEmptied(requirementQueue: RequirementQueue): void {
    if (requirementQueue.reservations === undefined) this.alarms.cancel(requirementQueue.starvationAlarm);
    else this.reservations.cancel(requirementQueue, this.#time.monotonic());
    requirementQueue.moveTo(this.#freeQueues);
  }

  #block(requirementQueue: RequirementQueue, obstacleGroup: ObstacleGroup, nowMs: number): false {
    obstacleGroup.exclude();
    requirementQueue.moveTo(obstacleGroup);
    this.reservations.onBlocked(requirementQueue, nowMs);
    return false;
  }

  #blockOnBreaker(requirementQueue: RequirementQueue, breaker: Breaker, nowMs: number): false {
    this.reservations.cancel(requirementQueue, nowMs);
    const obstacleGroup = (breaker.obstacleGroup ??= new ObstacleGroup<RequirementQueue>(this.#includedGroups, () =>
      this.alarms.cancel(breaker.alarm),
    ));
    obstacleGroup.exclude();
    requirementQueue.moveTo(obstacleGroup);
    this.#awaitCooldown(breaker, obstacleGroup, nowMs);
    return false;
  }

  /**
   * Sets an alarm that includes the group again when the cooldown ends. If the cooldown is already over, a probe is
   * running, and its end includes the group.
   */
  #awaitCooldown(breaker: Breaker, obstacleGroup: ObstacleGroup, nowMs: number): void {
    const { openUntilMs } = breaker;
    if (openUntilMs === undefined || openUntilMs <= nowMs) return;
    breaker.alarm ??= new ScheduledAlarm(() => obstacleGroup.include());
    this.alarms.set(breaker.alarm, openUntilMs);
  }

  /** The group of queues that wait for lower usage. */
  #usageGroup({ resource, meter, threshold }: ResourceDemand): ObstacleGroup {
    return this.#obstacleGroup(meter.obstacleGroups, threshold, resource, meter);
  }

  /** The group of queues that wait for the end of another queue's active reservation. */
  #reservationGroup({ resource, amount }: ResourceDemand): ObstacleGroup {
    return this.#obstacleGroup(
      resource.reservationGroups,
      amount,
      resource,
      this.reservations.current(resource)!.demand.meter,
    );
  }

  #obstacleGroup(
    obstacleGroups: Map<number, ObstacleGroup>,
    key: number,
    resource: Resource,
    meter: Meter,
  ): ObstacleGroup {
    let obstacleGroup = obstacleGroups.get(key);
    if (obstacleGroup === undefined) {
      obstacleGroup = new ObstacleGroup<RequirementQueue>(this.#includedGroups, () =>
        this.#removeObstacleGroup(obstacleGroups, key, resource),
      );
      obstacleGroups.set(key, obstacleGroup);
    }
    if (meter instanceof QuotaWindow) this.#armWindowAlarm(resource, meter);
    return obstacleGroup;
  }

  #removeObstacleGroup(obstacleGroups: Map<number, ObstacleGroup>, key: number, resource: Resource): void {
    obstacleGroups.delete(key);
    if (resource.kind === "capacity") return;
    for (const window of resource.meters)
      if (!this.#hasObstacleGroups(resource, window)) this.alarms.cancel(window.alarm);
  }

  #armWindowAlarm(resource: Resource, window: QuotaWindow): void {
    const { expiresAtMs } = window;
    if (expiresAtMs === undefined) return;
    window.alarm ??= new ScheduledAlarm((nowMs) => this.#onWindowExpired(resource, window, nowMs));
    this.alarms.set(window.alarm, expiresAtMs);
  }

  #onWindowExpired(resource: Resource, window: QuotaWindow, nowMs: number): void {
    this.#includeBelow(resource, window, window.usedAt(nowMs));
    if (this.#hasObstacleGroups(resource, window)) this.#armWindowAlarm(resource, window);
  }

  #hasObstacleGroups(resource: Resource, meter: Meter): boolean {
    if (meter.obstacleGroups.size > 0) return true;
    return resource.reservationGroups.size > 0 && this.reservations.current(resource)?.demand.meter === meter;
  }

  /** Usage has dropped: includes the groups that now fit. */
  #includeBelow(resource: Resource, meter: Meter, used: number): void {
    for (const [threshold, obstacleGroup] of meter.obstacleGroups) if (used <= threshold) obstacleGroup.include();
    const reservation = this.reservations.current(resource);
    if (reservation?.demand.meter !== meter) return;
    for (const [amount, obstacleGroup] of resource.reservationGroups)
      if (used + amount <= reservation.demand.threshold) obstacleGroup.include();
  }
}

export const NO_DEMANDS: readonly never[] = Object.freeze([]);

/**
 * The capacities that a lingering attempt keeps in use. Limits of agents and steps are freed at once, like slots. If the
 * attempt was stopped by force, so are capacities with `onAbandon: release`.
 */
export function keptDemands({ requirement }: Claim, isForced: boolean): readonly ResourceDemand[] {
  return requirement.demands.filter(
    ({ resource: { kind, role }, isFreedOnForceStop }) =>
      kind === "capacity" && role === "declared" && !(isForced && isFreedOnForceStop),
  );
}

function isBelowThreshold({ meter, threshold }: ResourceDemand, nowMs: number): boolean {
  return meter.usedAt(nowMs) <= threshold;
}

/** A reservation became active or ended, so every group behind it has to be checked again. */
function includeReserved({ reservationGroups }: Resource): void {
  for (const obstacleGroup of reservationGroups.values()) obstacleGroup.include();
}

// Explains why a step waits. Every reason is computed from the current state, not from the last check (SCHED-7).

import type { Resource, ResourceAmount } from "./resources/resource.ts";
import { QuotaWindow } from "./resources/quota-window.ts";
import type { ClaimQueue, SchedulingEntry } from "./scheduling-entry.ts";
import type { WaitQueue } from "./wait-queue.ts";
import type { SchedulerTime } from "./scheduler-time.ts";
import type { ResourceHolder, Waiter, WaitReason } from "./wait-reason.ts";

/** An attempt that was abandoned and still runs. */
export interface AbandonedStep {
  readonly entry: SchedulingEntry<unknown>;
  readonly step: number;
  /** The amounts it still holds. */
  readonly kept: readonly ResourceAmount[];
}

export interface WaitingStep {
  readonly entry: SchedulingEntry<unknown>;
  readonly step: number;
  readonly queue: ClaimQueue;
}

export interface SchedulerState {
  readonly waitQueue: WaitQueue;
  readonly time: SchedulerTime;
  readonly slots: { readonly used: number; readonly max: number };
  readonly executionMax: number;
  readonly isClosing: boolean;
  readonly positions: PositionCache;
  readonly resourceHolders: Iterable<SchedulingEntry<unknown>>;
  readonly abandoned: ReadonlyMap<object, AbandonedStep>;
}

type BlockReason = WaitReason<unknown>;

/**
 * Caches how many executions rank before a claim queue: all its steps share the count, and callers usually ask for all
 * steps.
 */
export class PositionCache {
  #queue: ClaimQueue | undefined;
  #count = 0;

  /** Clears the cache after a change. */
  forget(): void {
    this.#queue = undefined;
  }

  before(queue: ClaimQueue, waitQueue: WaitQueue, nowMs: number): number {
    if (this.#queue === queue) return this.#count;
    this.#queue = queue;
    this.#count = executionsBefore(queue, waitQueue, nowMs);
    return this.#count;
  }
}

function executionsBefore(queue: ClaimQueue, waitQueue: WaitQueue, nowMs: number): number {
  const { entry } = queue.group;
  const key = queue.group.queueKey(queue);
  const before = new Set<SchedulingEntry<unknown>>();
  for (const group of waitQueue.runnableGroups()) {
    if (group.entry === entry || !waitQueue.fits(group.queue.requirement, nowMs)) continue;
    const other = group.queueKey(group.first!);
    if (other > key || (other === key && group.entry.fairnessSeq < entry.fairnessSeq)) before.add(group.entry);
  }
  return before.size;
}

export function reasonsFor(waiting: WaitingStep, state: SchedulerState): readonly BlockReason[] {
  const { slots, isClosing, executionMax } = state;
  const { held } = waiting.entry;
  const nowMs = state.time.now();
  const obstacles = [
    ...(held.size >= executionMax ? [{ kind: "execution" as const, used: held.size, max: executionMax }] : []),
    ...breakerReason(waiting.queue, state, nowMs),
    ...waiting.queue.claim.requirement.amounts.flatMap((amount) => amountReason(amount, waiting, state, nowMs)),
  ];
  return [
    ...(isClosing ? [{ kind: "closing" as const }] : []),
    ...(slots.used >= slots.max ? [{ kind: "slots" as const, ...slots }] : []),
    ...obstacles,
    ...(obstacles.length === 0 ? positionReason(waiting, state, nowMs) : []),
  ];
}

function breakerReason({ claim }: ClaimQueue, { time }: SchedulerState, nowMs: number): readonly BlockReason[] {
  const { breaker } = claim.requirement;
  if (breaker === undefined || breaker.canPass(nowMs)) return [];
  return [{ kind: "breaker", agent: breaker.agent, untilMs: time.toWallClock(breaker.openUntilMs!) }];
}

function amountReason(
  amount: ResourceAmount,
  { queue }: WaitingStep,
  state: SchedulerState,
  nowMs: number,
): readonly BlockReason[] {
  const isReserved = state.waitQueue.isReservedForOther(amount, queue.claim.requirement, nowMs);
  if (amount.meter.usedAt(nowMs) <= amount.threshold && !isReserved) return [];
  const reserved = isReserved ? { reservedFor: findReserver(amount.resource, state.waitQueue) } : {};
  if (amount.meter instanceof QuotaWindow) {
    const fallsAtMs = amount.meter.fallsAtMs(amount.threshold, nowMs);
    const untilMs = fallsAtMs === undefined ? undefined : state.time.toWallClock(fallsAtMs);
    return [{ kind: "quota", resource: amount.resource.name, untilMs, ...reserved }];
  }
  const used = amount.meter.usedAt(nowMs);
  const occupied = { used, max: amount.bound, holders: listHolders(amount.resource, state), ...reserved };
  return [occupiedReason(amount, occupied)];
}

function occupiedReason(
  { resource: { role, name }, amount }: ResourceAmount,
  occupied: Pick<BlockReason & { kind: "resource" }, "used" | "max" | "holders">,
): BlockReason {
  switch (role) {
    case "agent":
      return { kind: "agent", agent: name, ...occupied };
    case "step":
      return { kind: "step-limit", step: name, ...occupied };
    case "resource": {
      const free = Math.max(0, occupied.max - occupied.used);
      return { kind: "resource", resource: name, wanted: amount, free, ...occupied };
    }
  }
}

function findReserver(resource: Resource, waitQueue: WaitQueue): Waiter<unknown> {
  const group = waitQueue.reservations.current(resource)!.queue.first!;
  return { owner: group.entry.owner, step: group.first!.steps.first };
}

function listHolders(
  resource: Resource,
  { resourceHolders, abandoned }: SchedulerState,
): readonly ResourceHolder<unknown>[] {
  const holders: ResourceHolder<unknown>[] = [];
  for (const { owner, held } of resourceHolders)
    for (const [step, claim] of held)
      if (hasAmount(claim.requirement.amounts, resource)) holders.push({ owner, step, isAbandoned: false });
  for (const { entry, step, kept } of abandoned.values())
    if (hasAmount(kept, resource)) holders.push({ owner: entry.owner, step, isAbandoned: true });
  return holders;
}

function hasAmount(amounts: readonly ResourceAmount[], resource: Resource): boolean {
  return amounts.some((amount) => amount.resource === resource);
}

function positionReason(waiting: WaitingStep, state: SchedulerState, nowMs: number): readonly BlockReason[] {
  const executions = state.positions.before(waiting.queue, state.waitQueue, nowMs);
  const steps = stepsBefore(waiting, state.waitQueue, nowMs);
  return executions === 0 && steps === 0 ? [] : [{ kind: "turn", executions, steps }];
}

/** Counts steps of the same execution that can run and rank before this one. */
function stepsBefore({ entry, queue, step }: WaitingStep, waitQueue: WaitQueue, nowMs: number): number {
  const [since, rank] = [queue.steps.waitingSince(step), queue.steps.rankAt(step)];
  let before = 0;
  for (const { key, claim, steps } of entry.waiting!.queues) {
    if (key < queue.key || steps.size === 0 || !waitQueue.fits(claim.requirement, nowMs)) continue;
    before += key > queue.key ? steps.size : steps.countBefore(since, rank);
  }
  return before;
}

// Explanations: why a step waits, told from what is so at the moment and not from what was looked at last (SCHED-7).

import type { Resource, ResourceAmount } from "./resources/resource.ts";
import { QuotaWindow } from "./resources/quota-window.ts";
import type { SchedulingEntry } from "./scheduling-entry.ts";
import type { WaitQueue } from "./wait-queue.ts";
import type { ClaimQueue } from "./claim-queue.ts";
import type { SchedulerTime } from "./scheduler-time.ts";
import type { ResourceHolder, Waiter, WaitReason } from "./wait-reason.ts";

/** An attempt that was given up and still runs. */
export interface AbandonedStep {
  readonly account: SchedulingEntry<unknown>;
  readonly step: number;
  /** What it still holds. */
  readonly kept: readonly ResourceAmount[];
}

export interface WaitingStep {
  readonly account: SchedulingEntry<unknown>;
  readonly step: number;
  readonly queue: ClaimQueue;
}

export interface Situation {
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

/** How many executions come before a claim queue. It is the same for all steps of the claim queue, and people ask for all of them. */
export class PositionCache {
  #queue: ClaimQueue | undefined;
  #count = 0;

  /** Something has changed. */
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

export function reasonsFor(waiting: WaitingStep, situation: Situation): readonly BlockReason[] {
  const { slots, isClosing, executionMax } = situation;
  const { held } = waiting.account;
  const nowMs = situation.time.now();
  const obstacles = [
    ...(held.size >= executionMax ? [{ kind: "execution" as const, used: held.size, max: executionMax }] : []),
    ...breakerReason(waiting.queue, situation, nowMs),
    ...waiting.queue.claim.requirement.amounts.flatMap((amount) => amountReason(amount, waiting, situation, nowMs)),
  ];
  return [
    ...(isClosing ? [{ kind: "closing" as const }] : []),
    ...(slots.used >= slots.max ? [{ kind: "slots" as const, ...slots }] : []),
    ...obstacles,
    ...(obstacles.length === 0 ? positionReason(waiting, situation, nowMs) : []),
  ];
}

function breakerReason({ claim }: ClaimQueue, { time }: Situation, nowMs: number): readonly BlockReason[] {
  const { breaker } = claim.requirement;
  if (breaker === undefined || breaker.canPass(nowMs)) return [];
  return [{ kind: "breaker", agent: breaker.agent, untilMs: time.toWallClock(breaker.openUntilMs!) }];
}

function amountReason(
  amount: ResourceAmount,
  { queue }: WaitingStep,
  situation: Situation,
  nowMs: number,
): readonly BlockReason[] {
  const isReserved = situation.waitQueue.isReservedForOther(amount, queue.claim.requirement, nowMs);
  if (amount.meter.usedAt(nowMs) <= amount.threshold && !isReserved) return [];
  const reserved = isReserved ? { reservedFor: findReserver(amount.resource, situation.waitQueue) } : {};
  if (amount.meter instanceof QuotaWindow) {
    const fallsAtMs = amount.meter.fallsAtMs(amount.threshold, nowMs);
    const untilMs = fallsAtMs === undefined ? undefined : situation.time.toWallClock(fallsAtMs);
    return [{ kind: "quota", resource: amount.resource.name, untilMs, ...reserved }];
  }
  const used = amount.meter.usedAt(nowMs);
  const occupied = { used, max: amount.bound, holders: listHolders(amount.resource, situation), ...reserved };
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
  { resourceHolders, abandoned }: Situation,
): readonly ResourceHolder<unknown>[] {
  const holders: ResourceHolder<unknown>[] = [];
  for (const { owner, held } of resourceHolders)
    for (const [step, claim] of held)
      if (hasAmount(claim.requirement.amounts, resource)) holders.push({ owner, step, isAbandoned: false });
  for (const { account, step, kept } of abandoned.values())
    if (hasAmount(kept, resource)) holders.push({ owner: account.owner, step, isAbandoned: true });
  return holders;
}

function hasAmount(amounts: readonly ResourceAmount[], resource: Resource): boolean {
  return amounts.some((amount) => amount.resource === resource);
}

function positionReason(waiting: WaitingStep, situation: Situation, nowMs: number): readonly BlockReason[] {
  const executions = situation.positions.before(waiting.queue, situation.waitQueue, nowMs);
  const steps = stepsBefore(waiting, situation.waitQueue, nowMs);
  return executions === 0 && steps === 0 ? [] : [{ kind: "turn", executions, steps }];
}

/** Steps of the same execution that could go on as well and are before it. */
function stepsBefore({ account, queue, step }: WaitingStep, waitQueue: WaitQueue, nowMs: number): number {
  const [since, rank] = [queue.steps.waitingSince(step), queue.steps.rankAt(step)];
  let before = 0;
  for (const { key, claim, steps } of account.waiting!.queues) {
    if (key < queue.key || steps.size === 0 || !waitQueue.fits(claim.requirement, nowMs)) continue;
    before += key > queue.key ? steps.size : steps.countBefore(since, rank);
  }
  return before;
}

// Explains why a step waits. Every reason is computed from the current state, not from the last check (SCHED-7).

import type { Resource, ResourceDemand } from "./resources/resource.ts";
import { QuotaWindow } from "./resources/quota-window.ts";
import type { ClaimQueue, SchedulerRecord } from "./scheduler-record.ts";
import type { WaitQueue } from "./wait-queue.ts";
import type { SchedulerTime } from "./scheduler-time.ts";
import type { ExecutionStep, ResourceHolder, WaitReason } from "./wait-reason.ts";

/** An attempt that still runs although its step was released (CANCEL-2). */
export interface LingeringAttempt {
  readonly schedulerRecord: SchedulerRecord<unknown>;
  readonly step: number;
  /** The demands that stay in use until it exits. */
  readonly kept: readonly ResourceDemand[];
}

export interface WaitingStep {
  readonly schedulerRecord: SchedulerRecord<unknown>;
  readonly step: number;
  readonly queue: ClaimQueue;
}

export interface SchedulerState {
  readonly waitQueue: WaitQueue;
  readonly time: SchedulerTime;
  readonly slots: { readonly used: number; readonly max: number };
  readonly executionMax: number;
  readonly isClosing: boolean;
  readonly executionsBefore: ExecutionsBeforeCache;
  readonly resourceHolders: Iterable<SchedulerRecord<unknown>>;
  readonly lingering: ReadonlyMap<object, LingeringAttempt>;
}

type AnyStep = ExecutionStep<unknown>;
type BlockReason = WaitReason<AnyStep>;

/**
 * Caches how many executions rank before a claim queue: all its steps share the count, and callers usually ask for all
 * steps.
 */
export class ExecutionsBeforeCache {
  #queue: ClaimQueue | undefined;
  #count = 0;

  /** Clears the cache after a change. */
  forget(): void {
    this.#queue = undefined;
  }

  countExecutionsBefore(claimQueue: ClaimQueue, waitQueue: WaitQueue, nowMs: number): number {
    if (this.#queue === claimQueue) return this.#count;
    this.#queue = claimQueue;
    this.#count = countExecutionsBefore(claimQueue, waitQueue, nowMs);
    return this.#count;
  }
}

function countExecutionsBefore(claimQueue: ClaimQueue, waitQueue: WaitQueue, nowMs: number): number {
  const { schedulerRecord } = claimQueue.executionGroup;
  const key = claimQueue.executionGroup.groupKeyFor(claimQueue);
  const before = new Set<SchedulerRecord<unknown>>();
  for (const group of waitQueue.includedExecutionGroups()) {
    if (group.schedulerRecord === schedulerRecord || !waitQueue.fits(group.requirementQueue.requirement, nowMs))
      continue;
    const other = group.groupKeyFor(group.first!);
    if (other > key || (other === key && group.schedulerRecord.fairnessSeq < schedulerRecord.fairnessSeq))
      before.add(group.schedulerRecord);
  }
  return before.size;
}

export function reasonsFor(waitingStep: WaitingStep, state: SchedulerState): readonly BlockReason[] {
  const { slots, isClosing, executionMax } = state;
  const { held } = waitingStep.schedulerRecord;
  const nowMs = state.time.monotonic();
  const reasonsBesidesSlots = [
    ...(held.size >= executionMax ? [{ kind: "execution-limit" as const, used: held.size, max: executionMax }] : []),
    ...breakerReason(waitingStep.queue, state, nowMs),
    ...waitingStep.queue.claim.requirement.demands.flatMap((demand) => demandReason(demand, waitingStep, state, nowMs)),
  ];
  return [
    ...(isClosing ? [{ kind: "closing" as const }] : []),
    ...(slots.used >= slots.max ? [{ kind: "slots" as const, ...slots }] : []),
    ...reasonsBesidesSlots,
    ...(reasonsBesidesSlots.length === 0 ? positionReason(waitingStep, state, nowMs) : []),
  ];
}

function breakerReason({ claim }: ClaimQueue, { time }: SchedulerState, nowMs: number): readonly BlockReason[] {
  const { breaker } = claim.requirement;
  if (breaker === undefined || breaker.canPass(nowMs)) return [];
  return [{ kind: "breaker", agent: breaker.agent, untilMs: time.toWallClock(breaker.openUntilMs!) }];
}

function demandReason(
  demand: ResourceDemand,
  { queue: claimQueue }: WaitingStep,
  state: SchedulerState,
  nowMs: number,
): readonly BlockReason[] {
  const isReserved = state.waitQueue.isReservedForOther(demand, claimQueue.claim.requirement, nowMs);
  if (demand.meter.usedAt(nowMs) <= demand.threshold && !isReserved) return [];
  const reserved = isReserved ? { reservedFor: findReserver(demand.resource, state.waitQueue) } : {};
  if (demand.meter instanceof QuotaWindow) {
    const fallsAtMs = demand.meter.fallsAtMs(demand.threshold, nowMs);
    const untilMs = fallsAtMs === undefined ? undefined : state.time.toWallClock(fallsAtMs);
    return [{ kind: "quota", resource: demand.resource.name, untilMs, ...reserved }];
  }
  const used = demand.meter.usedAt(nowMs);
  const occupied = { used, max: demand.bound, holders: listHolders(demand.resource, state), ...reserved };
  return [occupiedReason(demand, occupied)];
}

function occupiedReason(
  { resource: { role, name }, amount }: ResourceDemand,
  occupied: Pick<BlockReason & { kind: "resource" }, "used" | "max" | "holders">,
): BlockReason {
  switch (role) {
    case "agent":
      return { kind: "agent", agent: name, ...occupied };
    case "step":
      return { kind: "step-limit", step: name, ...occupied };
    case "declared": {
      const free = Math.max(0, occupied.max - occupied.used);
      return { kind: "resource", resource: name, wanted: amount, free, ...occupied };
    }
  }
}

function findReserver(resource: Resource, waitQueue: WaitQueue): AnyStep {
  const group = waitQueue.reservations.current(resource)!.queue.first!;
  return { execution: group.schedulerRecord.execution, step: group.first!.steps.first };
}

function listHolders(
  resource: Resource,
  { resourceHolders, lingering }: SchedulerState,
): readonly ResourceHolder<AnyStep>[] {
  const holders: ResourceHolder<AnyStep>[] = [];
  for (const { execution, held } of resourceHolders)
    for (const [step, claim] of held)
      if (hasDemand(claim.requirement.demands, resource)) holders.push({ execution, step, isLingering: false });
  for (const { schedulerRecord, step, kept } of lingering.values())
    if (hasDemand(kept, resource)) holders.push({ execution: schedulerRecord.execution, step, isLingering: true });
  return holders;
}

function hasDemand(demands: readonly ResourceDemand[], resource: Resource): boolean {
  return demands.some((demand) => demand.resource === resource);
}

function positionReason(waitingStep: WaitingStep, state: SchedulerState, nowMs: number): readonly BlockReason[] {
  const executions = state.executionsBefore.countExecutionsBefore(waitingStep.queue, state.waitQueue, nowMs);
  const steps = countStepsBefore(waitingStep, state.waitQueue, nowMs);
  return executions === 0 && steps === 0 ? [] : [{ kind: "position", executions, steps }];
}

/** Counts steps of the same execution that can run and rank before this one. */
function countStepsBefore(
  { schedulerRecord, queue: claimQueue, step }: WaitingStep,
  waitQueue: WaitQueue,
  nowMs: number,
): number {
  const [since, stepRank] = [claimQueue.steps.waitingSince(step), claimQueue.steps.stepRankAt(step)];
  let before = 0;
  for (const { key, claim, steps } of schedulerRecord.waitSet!.queues) {
    if (key < claimQueue.key || steps.size === 0 || !waitQueue.fits(claim.requirement, nowMs)) continue;
    before += key > claimQueue.key ? steps.size : steps.countBefore(since, stepRank);
  }
  return before;
}

// Explanations: why a step waits, told from what is so at the moment and not from what was looked at last (SCHED-7).

import type { Resource, Take } from "../resources/resource.ts";
import { Window } from "../resources/window.ts";
import type { Account } from "./account.ts";
import type { Board } from "./board.ts";
import type { Lane } from "./lane.ts";
import type { SchedulerTime } from "./scheduler-time.ts";
import type { Holder, Waiter, WaitReason } from "./wait-reason.ts";

/** An attempt that was given up and still runs. */
export interface GivenUp {
  readonly account: Account<unknown>;
  readonly step: number;
  /** What it still holds. */
  readonly kept: readonly Take[];
}

export interface WaitingStep {
  readonly account: Account<unknown>;
  readonly step: number;
  readonly lane: Lane;
}

export interface Situation {
  readonly board: Board;
  readonly time: SchedulerTime;
  readonly slots: { readonly used: number; readonly max: number };
  readonly executionMax: number;
  readonly isClosing: boolean;
  readonly turns: Turns;
  readonly takers: Iterable<Account<unknown>>;
  readonly givenUp: ReadonlyMap<object, GivenUp>;
}

type Reason = WaitReason<unknown>;

/** How many executions come before a lane. It is the same for all steps of the lane, and people ask for all of them. */
export class Turns {
  #lane: Lane | undefined;
  #count = 0;

  /** Something has changed. */
  forget(): void {
    this.#lane = undefined;
  }

  before(lane: Lane, board: Board, nowMs: number): number {
    if (this.#lane === lane) return this.#count;
    this.#lane = lane;
    this.#count = executionsBefore(lane, board, nowMs);
    return this.#count;
  }
}

function executionsBefore(lane: Lane, board: Board, nowMs: number): number {
  const { account } = lane.stand;
  const key = lane.stand.keyOf(lane);
  const before = new Set<Account<unknown>>();
  for (const stand of board.openStands()) {
    if (stand.account === account || !board.fits(stand.queue.need, nowMs)) continue;
    const other = stand.keyOf(stand.first!);
    if (other > key || (other === key && stand.account.turn < account.turn)) before.add(stand.account);
  }
  return before.size;
}

export function reasonsFor(waiting: WaitingStep, situation: Situation): readonly Reason[] {
  const { slots, isClosing, executionMax } = situation;
  const { held } = waiting.account;
  const nowMs = situation.time.now();
  const obstacles = [
    ...(held.size >= executionMax ? [{ kind: "execution" as const, used: held.size, max: executionMax }] : []),
    ...breakerReason(waiting.lane, situation, nowMs),
    ...waiting.lane.claim.need.takes.flatMap((take) => takeReason(take, waiting, situation, nowMs)),
  ];
  return [
    ...(isClosing ? [{ kind: "closing" as const }] : []),
    ...(slots.used >= slots.max ? [{ kind: "slots" as const, ...slots }] : []),
    ...obstacles,
    ...(obstacles.length === 0 ? turnReason(waiting, situation, nowMs) : []),
  ];
}

function breakerReason({ claim }: Lane, { time }: Situation, nowMs: number): readonly Reason[] {
  const { breaker } = claim.need;
  if (breaker === undefined || breaker.passes(nowMs)) return [];
  return [{ kind: "breaker", agent: breaker.agent, untilMs: time.onWallClock(breaker.openUntilMs!) }];
}

function takeReason(take: Take, { lane }: WaitingStep, situation: Situation, nowMs: number): readonly Reason[] {
  const isReserved = situation.board.isKeptFromUs(take, lane.claim.need, nowMs);
  if (take.meter.usedAt(nowMs) <= take.threshold && !isReserved) return [];
  const reserved = isReserved ? { reservedFor: reserverOf(take.resource) } : {};
  if (take.meter instanceof Window) {
    const fallsAtMs = take.meter.fallsAtMs(take.threshold, nowMs);
    const untilMs = fallsAtMs === undefined ? undefined : situation.time.onWallClock(fallsAtMs);
    return [{ kind: "quota", resource: take.resource.name, untilMs, ...reserved }];
  }
  const used = take.meter.usedAt(nowMs);
  const occupied = { used, max: take.bound, holders: holdersOf(take.resource, situation), ...reserved };
  return [occupiedReason(take, occupied)];
}

function occupiedReason(
  { resource: { role, name }, amount }: Take,
  occupied: Pick<Reason & { kind: "resource" }, "used" | "max" | "holders">,
): Reason {
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

function reserverOf({ reservation }: Resource): Waiter<unknown> {
  const stand = reservation!.queue.first!;
  return { owner: stand.account.owner, step: stand.first!.steps.first };
}

function holdersOf(resource: Resource, { takers, givenUp }: Situation): readonly Holder<unknown>[] {
  const holders: Holder<unknown>[] = [];
  for (const { owner, held } of takers)
    for (const [step, claim] of held)
      if (doesTake(claim.need.takes, resource)) holders.push({ owner, step, isGivenUp: false });
  for (const { account, step, kept } of givenUp.values())
    if (doesTake(kept, resource)) holders.push({ owner: account.owner, step, isGivenUp: true });
  return holders;
}

function doesTake(takes: readonly Take[], resource: Resource): boolean {
  return takes.some((take) => take.resource === resource);
}

function turnReason(waiting: WaitingStep, situation: Situation, nowMs: number): readonly Reason[] {
  const executions = situation.turns.before(waiting.lane, situation.board, nowMs);
  const steps = stepsBefore(waiting, situation.board, nowMs);
  return executions === 0 && steps === 0 ? [] : [{ kind: "turn", executions, steps }];
}

/** Steps of the same execution that could go on as well and are before it. */
function stepsBefore({ account, lane, step }: WaitingStep, board: Board, nowMs: number): number {
  const [since, rank] = [lane.steps.sinceOf(step), lane.steps.rankOf(step)];
  let before = 0;
  for (const { key, claim, steps } of account.lobby!.lanes) {
    if (key < lane.key || steps.size === 0 || !board.fits(claim.need, nowMs)) continue;
    before += key > lane.key ? steps.size : steps.countBefore(since, rank);
  }
  return before;
}

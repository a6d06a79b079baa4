// The board: who waits, in the order of SCHED-2, and what holds them up.
//
// Steps stand in lanes, lanes in the stand of their execution, stands in the queue of their need, queues at a gate, and open
// gates on the board. Each of them ranks like its first, so the next step is found by following firsts.
//
//   D1. Whether a need can be met is looked at when its queue comes first, and then for the whole queue. What cannot go on is
//       moved to the closed gate of what holds it up, where nobody looks at it until that has changed (SCHED-3, SCHED-6).
//   D2. A closed gate is opened by whatever might let somebody through: less in use, a reservation that ended, a breaker that
//       cooled down. It never stays closed although its first could go on.
//   D3. Every look ends in a grant, in a stand that is set aside, or in a queue behind a closed gate: looking ends.

import type { AttemptResult, Breaker } from "../resources/breaker.ts";
import type { Claim, Need } from "../resources/claim.ts";
import type { Meter } from "../resources/meter.ts";
import type { Resource, Take } from "../resources/resource.ts";
import { Window } from "../resources/window.ts";
import type { Account } from "./account.ts";
import { Alarm, Alarms } from "./alarms.ts";
import { Gate } from "./gate.ts";
import { Group } from "./group.ts";
import type { Lane } from "./lane.ts";
import { Queue } from "./queue.ts";
import { Reservations } from "./reservations.ts";
import type { Retries } from "./retries.ts";
import type { Stand } from "./stand.ts";
import type { SchedulerTime } from "./scheduler-time.ts";

export interface AttemptEnd {
  readonly account: object;
  readonly step: number;
  readonly result: AttemptResult;
}

export class Board {
  readonly alarms: Alarms = new Alarms();
  readonly #time: SchedulerTime;
  readonly #open = new Group<Gate>(undefined);
  /** Where nobody is held up by anything. */
  readonly #free = new Gate(this.#open);
  readonly #queues = new WeakMap<Need, Queue>();
  readonly #reservations: Reservations = new Reservations({
    alarms: this.alarms,
    changed: (resource) => openBehind(resource),
    reserved: (queue, nowMs) => void this.passes(queue, nowMs),
  });

  constructor(time: SchedulerTime) {
    this.#time = time;
  }

  /** The stand whose turn it is. */
  get first(): Stand | undefined {
    for (;;) {
      const stand = this.#open.first?.first?.first;
      if (stand === undefined || !stand.isStale) return stand;
      stand.refresh();
    }
  }

  /** Everybody whom nothing holds up as far as is known. */
  *openStands(): Generator<Stand> {
    for (const gate of this.#open.members) for (const queue of gate.members) yield* queue.members;
  }

  queueOf(need: Need): Queue {
    let queue = this.#queues.get(need);
    if (queue === undefined) {
      queue = new Queue(need, this.#free, (emptied) => this.#emptied(emptied));
      this.#queues.set(need, queue);
    }
    return queue;
  }

  /** Whether a need can be met now. */
  fits(need: Need, nowMs: number): boolean {
    if (need.breaker !== undefined && !need.breaker.passes(nowMs)) return false;
    for (const take of need.takes) if (!isWithin(take, nowMs) || this.isKeptFromUs(take, need, nowMs)) return false;
    return true;
  }

  /** Whether somebody else's reservation leaves too little. */
  isKeptFromUs(take: Take, need: Need, nowMs: number): boolean {
    const { reservation } = take.resource;
    if (reservation === undefined || reservation.queue.need === need) return false;
    return reservation.take.meter.usedAt(nowMs) + take.amount > reservation.take.threshold;
  }

  /** Whether a queue may go on; if not, it stands at the gate of what holds it up when this returns. */
  passes(queue: Queue, nowMs: number): boolean {
    const { need } = queue;
    if (need.breaker !== undefined && !need.breaker.passes(nowMs)) return this.#stop(queue, need.breaker, nowMs);
    // Behind a reservation first: as long as one follows the other, everybody else stays where it is.
    for (const take of need.takes)
      if (this.isKeptFromUs(take, need, nowMs)) return this.#hold(queue, this.#gateBehind(take), nowMs);
    for (const take of need.takes) if (!isWithin(take, nowMs)) return this.#hold(queue, this.#gateBefore(take), nowMs);
    queue.moveTo(this.#free);
    return true;
  }

  /** Who tries whether an agent works again: the oldest retry that could go on. Nobody while its breaker is closed (FAIL-6). */
  probe({ breaker }: Need, nowMs: number, hasRoom: (account: Account<unknown>) => boolean): Lane | undefined {
    if (breaker === undefined || breaker.isClosed) return undefined;
    const couldGo = ({ lane }: Retries): boolean => hasRoom(lane.stand.account) && this.fits(lane.claim.need, nowMs);
    const { first, all } = breaker.retries;
    if (first === undefined || couldGo(first)) return first?.lane;
    return all.filter(couldGo).toSorted((a, b) => a.since - b.since)[0]?.lane;
  }

  /** Takes what a claim needs. What is used up counts from a time that may lie in the past. */
  take({ need: { takes } }: Claim, usedAtMs: number): void {
    for (const { resource, meter, amount } of takes)
      if (resource.kind === "capacity") meter.add(amount);
      else resource.use(usedAtMs, amount);
  }

  giveBack(takes: readonly Take[]): void {
    for (const { resource, meter, amount } of takes) {
      if (resource.kind !== "capacity") continue;
      meter.remove(amount);
      openBelow(resource, meter, meter.usedAt(0));
    }
  }

  /** An attempt that was given up holds on to what it has, or lets go of it at last. */
  stick(takes: readonly Take[], direction: 1 | -1, nowMs: number): void {
    for (const { resource, meter, amount } of takes) {
      meter.stick(amount * direction);
      if (direction === 1) this.#reservations.stuck(resource, nowMs);
    }
  }

  /** One of the queue was served: the next begins to wait. */
  served(queue: Queue, nowMs: number): void {
    this.#reservations.leave(queue, nowMs);
    if (!queue.isEmpty) this.passes(queue, nowMs);
  }

  /** An attempt has ended, as its breaker sees it. */
  ended({ need: { breaker } }: Claim, attempt: AttemptEnd, nowMs: number): void {
    if (breaker === undefined) return;
    const { account, step, result } = attempt;
    const isFreer = breaker.ended(account, step, result, nowMs);
    if (breaker.gate === undefined || breaker.gate.isEmpty) return;
    if (isFreer) breaker.gate.letIn();
    else if (breaker.gate.isOut) this.#awaitCooling(breaker, breaker.gate, nowMs);
  }

  #emptied(queue: Queue): void {
    if (queue.bookings === undefined) this.alarms.drop(queue.patience);
    else this.#reservations.leave(queue, this.#time.now());
    queue.moveTo(this.#free);
  }

  #hold(queue: Queue, gate: Gate, nowMs: number): false {
    gate.keepOut();
    queue.moveTo(gate);
    this.#reservations.wait(queue, nowMs);
    return false;
  }

  #stop(queue: Queue, breaker: Breaker, nowMs: number): false {
    this.#reservations.leave(queue, nowMs);
    const gate = (breaker.gate ??= new Gate(this.#open, () => this.alarms.drop(breaker.alarm)));
    gate.keepOut();
    queue.moveTo(gate);
    this.#awaitCooling(breaker, gate, nowMs);
    return false;
  }

  /** Once it has cooled down, it is the end of the probe that opens the gate. */
  #awaitCooling(breaker: Breaker, gate: Gate, nowMs: number): void {
    const { openUntilMs } = breaker;
    if (openUntilMs === undefined || openUntilMs <= nowMs) return;
    breaker.alarm ??= new Alarm(() => gate.letIn());
    this.alarms.set(breaker.alarm, openUntilMs);
  }

  /** Where those stand for whom too much is in use. */
  #gateBefore({ resource, meter, threshold }: Take): Gate {
    return this.#gateIn(meter.gates, threshold, resource, meter);
  }

  /** Where those stand for whom too little is left beside what is kept for somebody else. */
  #gateBehind({ resource, amount }: Take): Gate {
    return this.#gateIn(resource.gatesBehind, amount, resource, resource.reservation!.take.meter);
  }

  #gateIn(gates: Map<number, Gate>, key: number, resource: Resource, meter: Meter): Gate {
    let gate = gates.get(key);
    if (gate === undefined) {
      gate = new Gate(this.#open, () => this.#removeGate(gates, key, resource));
      gates.set(key, gate);
    }
    if (meter instanceof Window) this.#watch(resource, meter);
    return gate;
  }

  #removeGate(gates: Map<number, Gate>, key: number, resource: Resource): void {
    gates.delete(key);
    if (resource.kind === "capacity") return;
    for (const window of resource.meters) if (!hasGates(resource, window)) this.alarms.drop(window.alarm);
  }

  #watch(resource: Resource, window: Window): void {
    const { expiresAtMs } = window;
    if (expiresAtMs === undefined) return;
    window.alarm ??= new Alarm((nowMs) => this.#expired(resource, window, nowMs));
    this.alarms.set(window.alarm, expiresAtMs);
  }

  #expired(resource: Resource, window: Window, nowMs: number): void {
    openBelow(resource, window, window.usedAt(nowMs));
    if (hasGates(resource, window)) this.#watch(resource, window);
  }
}

export const NOTHING: readonly never[] = Object.freeze([]);

/** What an attempt that still runs holds on to. A limit of an agent or a step is like a slot: that is free at once. */
export function keptOf({ need }: Claim, isAbandoned: boolean): readonly Take[] {
  return need.takes.filter(
    ({ resource: { kind, role }, isReleased }) =>
      kind === "capacity" && role === "resource" && !(isAbandoned && isReleased),
  );
}

function isWithin({ meter, threshold }: Take, nowMs: number): boolean {
  return meter.usedAt(nowMs) <= threshold;
}

function hasGates({ gatesBehind, reservation }: Resource, meter: Meter): boolean {
  return meter.gates.size > 0 || (gatesBehind.size > 0 && reservation?.take.meter === meter);
}

/** Less is in use: who waited for that may look again. */
function openBelow({ gatesBehind, reservation }: Resource, meter: Meter, used: number): void {
  for (const [threshold, gate] of meter.gates) if (used <= threshold) gate.letIn();
  if (reservation?.take.meter !== meter) return;
  for (const [amount, gate] of gatesBehind) if (used + amount <= reservation.take.threshold) gate.letIn();
}

/** What was kept may be free, or something else is kept. */
function openBehind({ gatesBehind }: Resource): void {
  for (const gate of gatesBehind.values()) gate.letIn();
}

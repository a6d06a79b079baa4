// The scheduler: who may run now. Simple for the time being: limits, and first in, first out.
//
//   G1. A slot is held from its grant until its release, and never twice for the same step.
//   G2. A request that its limits hold back does not hold back those behind it (SCHED-3).
//   G3. Nothing is lost: a request is granted, withdrawn or still waiting.

import { Line } from "./line.ts";

export interface SlotRequest<Owner> {
  readonly owner: Owner;
  readonly step: number;
  /** The named agent, which has a limit of its own. */
  readonly agent: string | undefined;
  /** How many steps of this owner may run at once. */
  readonly ownerLimit: number;
}

export interface SchedulerLimits {
  /** Attempts at once in this process (SCHED-1). */
  readonly slots: number;
  readonly perAgent: number;
}

export const SCHEDULER_LIMITS: SchedulerLimits = Object.freeze({ slots: 10, perAgent: 3 });

export class Scheduler<Owner> {
  readonly #limits: SchedulerLimits;
  readonly #grant: (owner: Owner, step: number) => void;
  readonly #waiting = new Map<Owner, Map<number, SlotRequest<Owner>>>();
  readonly #queue = new Line<SlotRequest<Owner>>();
  readonly #held = new Map<Owner, Map<number, SlotRequest<Owner>>>();
  readonly #byAgent = new Map<string, number>();
  #used = 0;

  constructor(limits: SchedulerLimits, grant: (owner: Owner, step: number) => void) {
    this.#limits = limits;
    this.#grant = grant;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Grants at once where there is room, later otherwise. */
  request(request: SlotRequest<Owner>): void {
    // It was asked for before, and withdrawn when its grant was already on the way: that grant will do (G1).
    if (this.#held.get(request.owner)?.has(request.step) === true) return;
    if (this.#fits(request)) {
      this.#take(request);
      this.#grant(request.owner, request.step);
      return;
    }
    this.#queue.add(request);
    entriesOf(this.#waiting, request.owner).set(request.step, request);
  }

  /** Takes a slot that is already in use: an attempt that runs although its execution was folded again. */
  occupy(request: SlotRequest<Owner>): void {
    if (this.#held.get(request.owner)?.has(request.step) !== true) this.#take(request);
  }

  release(owner: Owner, step: number): void {
    const held = this.#held.get(owner);
    const request = held?.get(step);
    if (held === undefined || request === undefined) return;
    held.delete(step);
    if (held.size === 0) this.#held.delete(owner);
    this.#used--;
    if (request.agent !== undefined) this.#byAgent.set(request.agent, this.#byAgent.get(request.agent)! - 1);
    this.#serve();
  }

  withdraw(owner: Owner, step?: number): void {
    const requests = this.#waiting.get(owner);
    if (requests === undefined) return;
    for (const request of step === undefined ? requests.values() : [requests.get(step)]) {
      if (request === undefined) continue;
      requests.delete(request.step);
      this.#queue.delete(request);
    }
    if (requests.size === 0) this.#waiting.delete(owner);
  }

  /** Everything of an owner that is being folded again, or has ended. */
  forget(owner: Owner): void {
    this.withdraw(owner);
    for (const step of this.#held.get(owner)?.keys() ?? []) this.release(owner, step);
  }

  #take(request: SlotRequest<Owner>): void {
    entriesOf(this.#held, request.owner).set(request.step, request);
    this.#used++;
    if (request.agent !== undefined) this.#byAgent.set(request.agent, (this.#byAgent.get(request.agent) ?? 0) + 1);
  }

  #fits({ owner, agent, ownerLimit }: SlotRequest<Owner>): boolean {
    if (this.#used >= this.#limits.slots) return false;
    if (agent !== undefined && (this.#byAgent.get(agent) ?? 0) >= this.#limits.perAgent) return false;
    return (this.#held.get(owner)?.size ?? 0) < ownerLimit;
  }

  #serve(): void {
    while (this.#used < this.#limits.slots) {
      const request = this.#queue.find((each) => this.#fits(each));
      if (request === undefined) return;
      this.withdraw(request.owner, request.step);
      this.#take(request);
      this.#grant(request.owner, request.step);
    }
  }
}

function entriesOf<Owner, Entry>(map: Map<Owner, Map<number, Entry>>, owner: Owner): Map<number, Entry> {
  let entries = map.get(owner);
  if (entries === undefined) {
    entries = new Map();
    map.set(owner, entries);
  }
  return entries;
}

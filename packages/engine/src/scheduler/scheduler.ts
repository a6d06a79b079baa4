// The scheduler: who may run now. Simple for the time being: limits, and first in, first out.
//
//   G1. A slot is held from its grant until its release, and never twice for the same step.
//   G2. A request that its limits hold back does not hold back those behind it (SCHED-3).
//   G3. Nothing is lost: a request is granted, withdrawn or still waiting.

import { Line, Place } from "../line.ts";

export interface SchedulerLimits {
  /** Attempts at once in this process (SCHED-1). */
  readonly slots: number;
  readonly perAgent: number;
}

export const SCHEDULER_LIMITS: SchedulerLimits = Object.freeze({ slots: 10, perAgent: 3 });

class SlotRequest<Owner> extends Place {
  readonly account: Account<Owner>;
  readonly step: number;
  /** The named agent, which has a limit of its own. */
  readonly agent: string | undefined;

  constructor(account: Account<Owner>, step: number, agent: string | undefined) {
    super();
    this.account = account;
    this.step = step;
    this.agent = agent;
  }
}

/** The slots of one owner: those that it holds, with the named agent that each is for, and those that it waits for. */
export class Account<Owner> {
  readonly owner: Owner;
  /** How many steps of this owner may run at once. */
  readonly limit: number;
  readonly held: Map<number, string | undefined> = new Map();
  readonly waiting: Map<number, SlotRequest<Owner>> = new Map();

  constructor(owner: Owner, limit: number = Number.POSITIVE_INFINITY) {
    this.owner = owner;
    this.limit = limit;
  }
}

export class Scheduler<Owner> {
  readonly #limits: SchedulerLimits;
  readonly #grant: (owner: Owner, step: number) => void;
  readonly #queue = new Line<SlotRequest<Owner>>();
  readonly #byAgent = new Map<string, number>();
  readonly #isNext = ({ account, agent }: SlotRequest<Owner>): boolean => this.#fits(account, agent);
  #used = 0;
  #isClosed = false;

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

  /** Nothing is granted any more; what asks waits. */
  close(): void {
    this.#isClosed = true;
  }

  /** Grants at once where there is room, later otherwise. */
  request(account: Account<Owner>, step: number, agent: string | undefined): void {
    // It was asked for before, and withdrawn when its grant was already on the way: that grant will do (G1).
    if (account.held.has(step)) return;
    if (this.#fits(account, agent)) {
      this.#take(account, step, agent);
      this.#grant(account.owner, step);
      return;
    }
    const request = new SlotRequest(account, step, agent);
    this.#queue.add(request);
    account.waiting.set(step, request);
  }

  /** Takes a slot that is already in use: an attempt that runs although its execution was folded again. */
  occupy(account: Account<Owner>, step: number, agent: string | undefined): void {
    if (!account.held.has(step)) this.#take(account, step, agent);
  }

  release({ held }: Account<Owner>, step: number): void {
    const agent = held.get(step);
    if (!held.delete(step)) return;
    this.#used--;
    if (agent !== undefined) this.#byAgent.set(agent, this.#byAgent.get(agent)! - 1);
    if (this.#queue.size > 0) this.#serve();
  }

  withdraw({ waiting }: Account<Owner>, step?: number): void {
    if (waiting.size === 0) return;
    for (const request of step === undefined ? waiting.values() : [waiting.get(step)]) {
      if (request === undefined) continue;
      waiting.delete(request.step);
      this.#queue.delete(request);
    }
  }

  /** Everything of an owner that is being folded again, or has ended. */
  forget(account: Account<Owner>): void {
    this.withdraw(account);
    for (const step of account.held.keys()) this.release(account, step);
  }

  #take(account: Account<Owner>, step: number, agent: string | undefined): void {
    account.held.set(step, agent);
    this.#used++;
    if (agent !== undefined) this.#byAgent.set(agent, (this.#byAgent.get(agent) ?? 0) + 1);
  }

  #fits({ held, limit }: Account<Owner>, agent: string | undefined): boolean {
    if (this.#isClosed || this.#used >= this.#limits.slots || held.size >= limit) return false;
    return agent === undefined || (this.#byAgent.get(agent) ?? 0) < this.#limits.perAgent;
  }

  #serve(): void {
    while (this.#used < this.#limits.slots) {
      const request = this.#queue.find(this.#isNext);
      if (request === undefined) return;
      const { account, step, agent } = request;
      account.waiting.delete(step);
      this.#queue.delete(request);
      this.#take(account, step, agent);
      this.#grant(account.owner, step);
    }
  }
}

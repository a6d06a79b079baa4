// The scheduler: who may run now. Simple for the time being: limits, first in, first out within an execution, and executions
// by turns.
//
//   G1. A slot is held from its grant until its release, and never twice for the same step.
//   G2. A request that its limits hold back does not hold back those behind it (SCHED-3): steps that wait for different
//       things stand in different lanes.
//   G3. Nothing is lost: a request is granted, withdrawn or still waiting.

import { Line } from "../line.ts";
import { Lane } from "./lane.ts";

export interface SchedulerLimits {
  /** Attempts at once in this process (SCHED-1). */
  readonly slots: number;
  readonly perAgent: number;
}

export const SCHEDULER_LIMITS: SchedulerLimits = Object.freeze({ slots: 10, perAgent: 3 });

/** The slots of one owner: those that it holds, with the named agent that each is for, and those that it waits for. */
export class Account<Owner> {
  readonly owner: Owner;
  /** How many steps of this owner may run at once. */
  readonly limit: number;
  readonly held: Map<number, string | undefined> = new Map();
  /** By the agent that they are for. A lane with nobody in it stands in no line. */
  readonly lanes: Map<string | undefined, Lane<Owner>> = new Map();

  constructor(owner: Owner, limit: number = Number.POSITIVE_INFINITY) {
    this.owner = owner;
    this.limit = limit;
  }
}

export class Scheduler<Owner> {
  readonly #limits: SchedulerLimits;
  readonly #grant: (owner: Owner, step: number) => void;
  readonly #line = new Line<Lane<Owner>>();
  readonly #byAgent = new Map<string, number>();
  readonly #isNext = ({ account, agent }: Lane<Owner>): boolean => this.#fits(account, agent);
  #used = 0;
  #waiting = 0;
  #isClosed = false;

  constructor(limits: SchedulerLimits, grant: (owner: Owner, step: number) => void) {
    this.#limits = limits;
    this.#grant = grant;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiting;
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
    } else this.#wait(account, step, agent);
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
    if (this.#waiting > 0) this.#serve();
  }

  /** One that holds its slot already, because its grant is on the way, does not wait. */
  withdraw({ held, lanes }: Account<Owner>, step: number, agent: string | undefined): void {
    const lane = lanes.get(agent);
    if (lane === undefined || lane.size === 0 || held.has(step)) return;
    lane.withdraw(step);
    this.#waiting--;
    if (lane.size === 0) this.#close(lane);
  }

  withdrawAll({ lanes }: Account<Owner>): void {
    for (const lane of lanes.values()) {
      if (lane.size === 0) continue;
      this.#waiting -= lane.size;
      this.#close(lane);
    }
  }

  /** Everything of an owner that is being folded again, or has ended. */
  forget(account: Account<Owner>): void {
    this.withdrawAll(account);
    for (const step of account.held.keys()) this.release(account, step);
  }

  #wait(account: Account<Owner>, step: number, agent: string | undefined): void {
    let lane = account.lanes.get(agent);
    if (lane === undefined) account.lanes.set(agent, (lane = new Lane(account, agent)));
    if (lane.size === 0) this.#line.add(lane);
    lane.add(step);
    this.#waiting++;
  }

  #close(lane: Lane<Owner>): void {
    this.#line.delete(lane);
    lane.clear();
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
      const lane = this.#line.find(this.#isNext);
      if (lane === undefined) return;
      const { account, agent } = lane;
      const step = lane.take();
      this.#waiting--;
      // To the end of the line, so that an execution with many steps does not keep the others waiting.
      this.#line.delete(lane);
      if (lane.size === 0) lane.clear();
      else this.#line.add(lane);
      this.#take(account, step, agent);
      this.#grant(account.owner, step);
    }
  }
}

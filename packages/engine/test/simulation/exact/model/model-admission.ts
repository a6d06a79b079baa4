// Admission in the reference model (SCHED-1 to SCHED-4): a plain list of waiting steps, searched from the start each
// time. Every request waits until the turn has nothing left to decide and `look` is called, so requests and releases of
// one turn count together (SCHED-2).

import type { Limits } from "../plan.ts";
import { QUOTA, ROOM } from "../definitions.ts";
import type { ModelExecution } from "./model-execution.ts";
import type { ModelStep } from "./model-step.ts";

/** This waiting time is worth one step of priority (SCHED-2). */
const AGEING_MS = 10_000;

interface Request {
  readonly execution: ModelExecution;
  readonly step: ModelStep;
  readonly number: number;
}

/** The holdings of an execution, and when it was last served. */
interface Share {
  held: number;
  lastServedMs: number;
  turn: number;
}

export class ModelAdmission {
  readonly #limits: Limits;
  readonly #grant: (execution: ModelExecution, step: ModelStep) => void;
  readonly #shares = new Map<ModelExecution, Share>();
  readonly #agents = new Map<string, number>();
  /** The times of the calls that count against the quota. */
  #calls: number[] = [];
  #room = 0;
  #used = 0;
  #turn = 0;
  #number = 0;
  #waiting: Request[] = [];
  nowMs = 0;

  constructor(limits: Limits, grant: (execution: ModelExecution, step: ModelStep) => void) {
    this.#limits = limits;
    this.#grant = grant;
  }

  request(execution: ModelExecution, step: ModelStep): void {
    const share = this.#shareOf(execution);
    const isAlone = !this.#waiting.some((other) => other.execution === execution);
    if (isAlone) Object.assign(share, { lastServedMs: this.nowMs, turn: ++this.#turn });
    this.#waiting.push({ execution, step, number: ++this.#number });
  }

  /** `keepsRoom`: the function was abandoned and still runs (CANCEL-2). */
  release(execution: ModelExecution, step: ModelStep, keepsRoom: boolean): void {
    const agent = agentName(step);
    this.#used--;
    this.#shareOf(execution).held--;
    this.#agents.set(agent, (this.#agents.get(agent) ?? 0) - 1);
    if (!keepsRoom) this.#leaveRoom(step);
  }

  /** Called when an abandoned function has ended. */
  settled(step: ModelStep): void {
    this.#leaveRoom(step);
  }

  withdraw(isMeant: (request: { readonly execution: ModelExecution; readonly step: ModelStep }) => boolean): void {
    this.#waiting = this.#waiting.filter((request) => !isMeant(request));
  }

  /** The time at which a step that waits for the quota could continue. */
  get wakeAtMs(): number | undefined {
    const isAwaited = this.#waiting.some(({ step }) => needs(step, "calls"));
    const oldest = this.#calls.find((at) => at + QUOTA.perMs > this.nowMs);
    return isAwaited && oldest !== undefined ? oldest + QUOTA.perMs : undefined;
  }

  /** Grants everything that can be granted, in order. */
  look(): void {
    for (let next = this.#best(); next !== undefined; next = this.#best()) {
      const chosen = next;
      this.#waiting = this.#waiting.filter((request) => request !== chosen);
      this.#shareOf(chosen.execution).lastServedMs = this.nowMs;
      this.#serve(chosen);
    }
  }

  #best(): Request | undefined {
    let best: Request | undefined;
    for (const request of this.#waiting)
      if (this.#fits(request) && (best === undefined || this.#comesBefore(request, best))) best = request;
    return best;
  }

  #comesBefore(left: Request, right: Request): boolean {
    const [one, other] = [this.#shareOf(left.execution), this.#shareOf(right.execution)];
    const [rank, otherRank] = [toRank(left, one), toRank(right, other)];
    if (rank !== otherRank) return rank > otherRank;
    return one.turn === other.turn ? left.number < right.number : one.turn < other.turn;
  }

  #serve({ execution, step }: Request): void {
    const share = this.#shareOf(execution);
    const agent = agentName(step);
    this.#used++;
    share.held++;
    share.turn = ++this.#turn;
    this.#agents.set(agent, (this.#agents.get(agent) ?? 0) + 1);
    if (needs(step, "room")) this.#room++;
    if (needs(step, "calls")) this.#calls.push(this.nowMs);
    this.#grant(execution, step);
  }

  #fits({ execution, step }: Request): boolean {
    if (this.#used >= this.#limits.slots) return false;
    if (this.#shareOf(execution).held >= atOnce(execution)) return false;
    if ((this.#agents.get(agentName(step)) ?? 0) >= this.#limits.perAgent) return false;
    if (needs(step, "room") && this.#room >= ROOM) return false;
    const recent = this.#calls.filter((at) => at + QUOTA.perMs > this.nowMs);
    return !needs(step, "calls") || recent.length < QUOTA.rate;
  }

  #leaveRoom(step: ModelStep): void {
    if (needs(step, "room")) this.#room--;
  }

  #shareOf(execution: ModelExecution): Share {
    let share = this.#shares.get(execution);
    if (share === undefined) this.#shares.set(execution, (share = { held: 0, lastServedMs: 0, turn: 0 }));
    return share;
  }
}

function toRank({ execution, step }: Request, share: Share): number {
  return ((step.definition.priority ?? 0) + execution.priority) * AGEING_MS - share.lastServedMs;
}

function atOnce({ workflow: { sequential, concurrency = Infinity } }: ModelExecution): number {
  return sequential === true ? 1 : concurrency;
}

function agentName({ definition: { action } }: ModelStep): string {
  return action.kind === "agent" ? action.agent : "";
}

function needs({ definition }: ModelStep, resource: string): boolean {
  return (definition.resources?.[resource] ?? 0) > 0;
}

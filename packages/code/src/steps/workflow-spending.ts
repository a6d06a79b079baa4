// The money that the agents of one workflow spend, and its budget.
//
//   WP1. The budget is for the whole workflow: a session may spend what all others have left, those at work included.
//   WP2. All sessions count: also those that failed, met a rate limit or asked a person. The journal has their cost, so a
//        restart forgets none of them. The cost of an attempt that a crash ended is not known.

import type { AgentUsage } from "../agents/agent-event.ts";

export class WorkflowSpending {
  readonly budgetUsd: number;
  /** The cost of all sessions so far. */
  #spentUsd: number;

  /** `earlierUsd`: the cost of the sessions that other processes have run. */
  constructor(budgetUsd: number, earlierUsd: number) {
    this.budgetUsd = budgetUsd;
    this.#spentUsd = earlierUsd;
  }

  get isUsedUp(): boolean {
    return this.#spentUsd >= this.budgetUsd;
  }

  /** The budget of a new session: told its cost so far, it returns how much the session may spend in all (WP1). */
  openSession(): (costUsd: number) => number {
    let ownUsd = 0;
    return (costUsd) => {
      this.#spentUsd += costUsd - ownUsd;
      ownUsd = costUsd;
      return this.budgetUsd - (this.#spentUsd - ownUsd);
    };
  }
}

const COST = "AgentCost";

/** The cost of a session that did not succeed, as the last cause of its error: so it is in the journal (WP2). */
export function costError({ costUsd = 0 }: AgentUsage): Error | undefined {
  if (costUsd === 0) return undefined;
  return Object.assign(new Error(`the agent spent ${costUsd} USD`), { name: COST });
}

/** The cost that a failure in the journal tells; 0 if it tells none. */
export function costOfFailure(failure: FailureLike | undefined): number {
  for (let each = failure; each !== undefined; each = each.cause)
    if (each.code === COST) return Number(/spent (\S+) USD$/u.exec(each.message)?.[1] ?? 0);
  return 0;
}

interface FailureLike {
  readonly code: string;
  readonly message: string;
  readonly cause?: FailureLike;
}

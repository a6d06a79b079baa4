// The money that the agents of one workflow spend, and its budget.
//
//   WP1. The budget is for the whole workflow: a session may spend what all others have left, those at work included.
//   WP2. All sessions count: also those that failed, met a rate limit or asked a person. The journal has their cost, so a
//        restart forgets none of them. The cost of an attempt that a crash ended is not known.

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

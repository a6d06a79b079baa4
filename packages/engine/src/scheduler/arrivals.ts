// Arrivals: who has asked in a turn that is not over yet. They are kept as runs of steps of one execution with the same claim,
// because a map asks for all its items at once, and most turns ask for one step or for none.

import type { Claim } from "../resources/claim.ts";
import type { Account } from "./account.ts";

export interface Run<Owner> {
  readonly account: Account<Owner>;
  readonly claim: Claim;
  readonly steps: number[];
}

export class Arrivals<Owner> {
  #runs: Run<Owner>[] = [];

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  add(account: Account<Owner>, step: number, claim: Claim): void {
    const last = this.#runs.at(-1);
    if (last?.account === account && last.claim === claim) last.steps.push(step);
    else this.#runs.push({ account, claim, steps: [step] });
  }

  /** All of them, in the order in which they asked; none is left. */
  take(): readonly Run<Owner>[] {
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }
}

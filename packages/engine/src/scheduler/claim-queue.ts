// A claim queue holds the waiting steps of one execution with the same claim. It ranks by its first step.

import type { Claim } from "./resources/claim.ts";
import { Ranked, type Heap } from "../collections/heap.ts";
import { Retries } from "./retries.ts";
import type { ExecutionGroup } from "./execution-group.ts";
import type { Steps } from "./steps.ts";

export class ClaimQueue extends Ranked {
  readonly group: ExecutionGroup;
  readonly claim: Claim;
  readonly steps: Steps;
  readonly #retries: Retries<ClaimQueue> | undefined;

  constructor(group: ExecutionGroup, claim: Claim, steps: Steps, key: number, retries?: Heap<Retries<ClaimQueue>>) {
    super();
    this.group = group;
    this.claim = claim;
    this.steps = steps;
    this.key = key;
    this.#retries = retries === undefined ? undefined : new Retries(this, retries);
  }

  add(step: number, since: number, rank: number): void {
    this.steps.add(step, since, rank);
    this.#updateRank();
  }

  delete(step: number): void {
    this.steps.delete(step);
    this.#updateRank();
  }

  /** The execution's strategy changed. */
  rekey(key: number): void {
    if (this.key === key) return;
    this.key = key;
    if (this.at >= 0) this.group.onMemberMoved(this);
  }

  /** The execution withdraws all its steps. */
  close(): void {
    this.#retries?.leave();
  }

  #updateRank(): void {
    const { steps } = this;
    this.#retries?.updateRank();
    if (steps.size === 0) return this.group.leave(this);
    if (this.at >= 0 && this.since === steps.since && this.rank === steps.rank) return;
    this.since = steps.since;
    this.rank = steps.rank;
    if (this.at >= 0) this.group.onMemberMoved(this);
    else this.group.enter(this);
  }
}

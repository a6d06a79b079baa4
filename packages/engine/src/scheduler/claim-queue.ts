// A claim queue: steps of one execution that need the same and have the same priority. Within its execution group it ranks by its first step.

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
    this.#follow();
  }

  delete(step: number): void {
    this.steps.delete(step);
    this.#follow();
  }

  /** Another order holds for this execution. */
  rekey(key: number): void {
    if (this.key === key) return;
    this.key = key;
    if (this.at >= 0) this.group.onMemberMoved(this);
  }

  /** Everybody leaves. */
  close(): void {
    this.#retries?.leave();
  }

  #follow(): void {
    const { steps } = this;
    this.#retries?.follow();
    if (steps.size === 0) return this.group.leave(this);
    if (this.at >= 0 && this.since === steps.since && this.rank === steps.rank) return;
    this.since = steps.since;
    this.rank = steps.rank;
    if (this.at >= 0) this.group.onMemberMoved(this);
    else this.group.enter(this);
  }
}

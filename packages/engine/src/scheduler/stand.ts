// A stand: what one execution waits for with the same need. Its rank is the one that SCHED-2 gives to its first lane.

import type { Account } from "./account.ts";
import { Group } from "./group.ts";
import type { Lane } from "./lane.ts";
import type { Queue } from "./queue.ts";

/** So much waiting is worth as much as one step of priority. */
export const AGEING_MS = 10_000;

export class Stand extends Group<Lane> {
  readonly account: Account<unknown>;
  readonly queue: Queue;

  constructor(account: Account<unknown>, queue: Queue) {
    super(queue);
    this.account = account;
    this.queue = queue;
  }

  /** Its execution was served elsewhere, so it ranks lower than it says. */
  get isStale(): boolean {
    return this.turn !== this.account.turn;
  }

  refresh(): void {
    this.rankLike(this.first!);
    if (this.at >= 0) this.queue.moved(this);
  }

  /**
   * Priority and age in one number: of two executions it is the same at any time which one comes first, because both grow
   * older at the same pace.
   */
  keyOf(lane: Lane): number {
    return lane.key + this.account.priority * AGEING_MS - this.account.lastServedMs;
  }

  protected override rankLike(lane: Lane): void {
    this.key = this.keyOf(lane);
    this.turn = this.account.turn;
    this.rank = lane.rank;
    this.since = lane.since;
  }
}

// An execution group: what one execution waits for with the same need. Its rank is the one that SCHED-2 gives to its first claim queue.

import { AGEING_MS } from "./ageing.ts";
import type { SchedulingEntry } from "./scheduling-entry.ts";
import { Group } from "./group.ts";
import type { ClaimQueue } from "./claim-queue.ts";
import type { RequirementQueue } from "./requirement-queue.ts";

export class ExecutionGroup extends Group<ClaimQueue> {
  readonly entry: SchedulingEntry<unknown>;
  readonly queue: RequirementQueue;

  constructor(account: SchedulingEntry<unknown>, queue: RequirementQueue) {
    super(queue);
    this.entry = account;
    this.queue = queue;
  }

  /** Its execution was served elsewhere, so it ranks lower than it says. */
  get isStale(): boolean {
    return this.fairnessSeq !== this.entry.fairnessSeq;
  }

  refresh(): void {
    this.rankLike(this.first!);
    if (this.at >= 0) this.queue.onMemberMoved(this);
  }

  /**
   * Priority and age in one number: of two executions it is the same at any time which one comes first, because both grow
   * older at the same pace.
   */
  queueKey(queue: ClaimQueue): number {
    return queue.key + this.entry.priority * AGEING_MS - this.entry.lastServedMs;
  }

  protected override rankLike(queue: ClaimQueue): void {
    this.key = this.queueKey(queue);
    this.fairnessSeq = this.entry.fairnessSeq;
    this.rank = queue.rank;
    this.since = queue.since;
  }
}

// An execution group holds the claim queues of one execution with the same requirement. SCHED-2 defines its rank.

import { AGEING_MS } from "./ageing.ts";
import type { SchedulingEntry } from "./scheduling-entry.ts";
import { Group } from "./group.ts";
import type { ClaimQueue } from "./claim-queue.ts";
import type { RequirementQueue } from "./requirement-queue.ts";

export class ExecutionGroup extends Group<ClaimQueue> {
  readonly entry: SchedulingEntry<unknown>;
  readonly queue: RequirementQueue;

  constructor(entry: SchedulingEntry<unknown>, queue: RequirementQueue) {
    super(queue);
    this.entry = entry;
    this.queue = queue;
  }

  /** The execution was served through another group, so this group's rank is too high. */
  get isStale(): boolean {
    return this.fairnessSeq !== this.entry.fairnessSeq;
  }

  refresh(): void {
    this.copyRank(this.first!);
    if (this.at >= 0) this.queue.onMemberMoved(this);
  }

  /**
   * Priority and age in one number. All executions age at the same pace, so the order of two executions does not change
   * while both wait.
   */
  queueKey(queue: ClaimQueue): number {
    return queue.key + this.entry.priority * AGEING_MS - this.entry.lastServedMs;
  }

  protected override copyRank(queue: ClaimQueue): void {
    this.key = this.queueKey(queue);
    this.fairnessSeq = this.entry.fairnessSeq;
    this.rank = queue.rank;
    this.since = queue.since;
  }
}

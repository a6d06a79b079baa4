// A queue's request to reserve one resource.

import { Ranked } from "../collections/heap.ts";
import type { ResourceAmount } from "./resources/resource.ts";

export class ReservationRequest<Queue extends Ranked> extends Ranked {
  readonly queue: Queue;
  readonly amount: ResourceAmount;

  constructor(queue: Queue, amount: ResourceAmount) {
    super();
    this.queue = queue;
    this.amount = amount;
    this.key = queue.key;
    this.fairnessSeq = queue.fairnessSeq;
    this.since = queue.since;
  }
}

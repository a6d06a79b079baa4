// A queue's reservation of one resource: requested at first, and active once freed amounts are kept for the queue.

import { Ranked } from "../collections/heap.ts";
import type { ResourceDemand } from "./resources/resource.ts";

export class Reservation<Queue extends Ranked> extends Ranked {
  readonly queue: Queue;
  readonly demand: ResourceDemand;
  isActive: boolean = false;

  constructor(queue: Queue, demand: ResourceDemand) {
    super();
    this.queue = queue;
    this.demand = demand;
    this.key = queue.key;
    this.tieBreakSeq = queue.tieBreakSeq;
    this.since = queue.since;
  }
}

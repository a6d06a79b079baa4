// A queue's reservation of one resource: requested at first, and active once freed amounts are kept for the queue.

import { Ranked } from "../collections/heap.ts";
import type { ResourceShare } from "./resources/resource.ts";

export class Reservation<Queue extends Ranked> extends Ranked {
  readonly queue: Queue;
  readonly share: ResourceShare;
  isActive: boolean = false;

  constructor(queue: Queue, share: ResourceShare) {
    super();
    this.queue = queue;
    this.share = share;
    this.key = queue.key;
    this.tieBreakSeq = queue.tieBreakSeq;
    this.since = queue.since;
  }
}

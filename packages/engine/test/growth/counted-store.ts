// A store that counts its calls, in total and per tick of the event loop.

import type { CommitBatch, LastBlock, LoadResult, Poll, PollQuery } from "../../src/store/store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import type { ExecutionId } from "@segno/kernel";

/** The maximum per tick of the event loop. */
class Burst {
  most = 0;
  #now = 0;

  add(): void {
    if (this.#now++ === 0) setImmediate(() => (this.#now = 0));
    this.most = Math.max(this.most, this.#now);
  }
}

export class CountedStore extends MemoryStore {
  readonly loads: Burst = new Burst();
  wholeLoads = 0;
  largestBatch = 0;
  polls = 0;
  /** Messages that polls have read. */
  messagesRead = 0;

  override async commit(batch: CommitBatch): Promise<void> {
    this.largestBatch = Math.max(this.largestBatch, batch.appends.length + batch.consumedMessages.length);
    return super.commit(batch);
  }

  override async loadLast(id: ExecutionId): Promise<LastBlock | undefined> {
    this.loads.add();
    return super.loadLast(id);
  }

  override async load(id: ExecutionId): Promise<LoadResult | undefined> {
    this.loads.add();
    this.wholeLoads++;
    return super.load(id);
  }

  override async poll(query?: PollQuery): Promise<Poll> {
    this.polls++;
    const poll = await super.poll(query);
    this.messagesRead += poll.messages.length;
    return poll;
  }
}

// Decides which unfinished executions of a store an engine continues: all of them, or only its own.
//
//   U1. An engine's own executions are those that it starts, those that it sends a command to, and those that others
//       post while it is open.
//   U2. Messages from before the engine was opened stay in the inbox, unless they are for one of its own executions.
//   U3. A later message comes from a process that runs now, as with `segno run --detach`. The file itself cannot post,
//       because a store with triggers is not opened (STORE_SCHEMA).

import type { ExecutionId } from "@segno/kernel";
import type { Message, MessageId, Store } from "../store/store.ts";

/** The unfinished executions that an engine continues when it opens a store. */
export type ResumePolicy = "all" | "own";

export class Resumption {
  readonly #isLimited: boolean;
  readonly #own = new Set<ExecutionId>();
  #lastBefore: MessageId = 0;
  #onAdopted: (id: ExecutionId) => void = () => undefined;

  constructor(policy: ResumePolicy = "all") {
    this.#isLimited = policy === "own";
  }

  async begin(store: Store): Promise<void> {
    if (!this.#isLimited) return;
    for (const { id } of (await store.poll()).messages) this.#lastBefore = Math.max(this.#lastBefore, id);
  }

  add(id: ExecutionId): void {
    if (this.#isLimited) this.#own.add(id);
  }

  /** Makes an execution that others began this engine's own, and continues it here. */
  adopt(id: ExecutionId): void {
    this.add(id);
    if (this.#isLimited) this.#onAdopted(id);
  }

  /** Calls back for each adopted execution, if the engine does not continue all of them anyway. */
  onAdopted(listener: (id: ExecutionId) => void): void {
    this.#onAdopted = listener;
  }

  includes(id: ExecutionId): boolean {
    return !this.#isLimited || this.#own.has(id);
  }

  mayTake({ id, execution }: Message): boolean {
    return id > this.#lastBefore || this.includes(execution);
  }
}

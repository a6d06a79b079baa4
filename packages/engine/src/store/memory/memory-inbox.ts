// The inbox of the memory store: posted messages in order of posting, and by execution.

import type { ExecutionId } from "@segno/kernel";
import { binarySearch } from "./binary-search.ts";
import type { Message, MessageId, PollQuery } from "../store.ts";

/** The list is compacted only beyond this number of taken ids. */
const SPENT_MAX = 64;

export class MemoryInbox {
  readonly #messages = new Map<MessageId, Message>();
  readonly #byExecution = new Map<ExecutionId, Set<MessageId>>();
  /** The posted start of each execution that does not exist yet (K12). */
  readonly #starts = new Map<ExecutionId, Message>();
  /** Ids in order. Readers skip the ids of taken messages. The list is compacted when most of its ids are taken. */
  #ids: MessageId[] = [];
  #last = 0;

  nextId(): MessageId {
    return ++this.#last;
  }

  add(message: Message): void {
    const { id, execution } = message;
    this.#messages.set(id, message);
    this.#ids.push(id);
    if (message.isStart === true) this.#starts.set(execution, message);
    const waiting = this.#byExecution.get(execution);
    if (waiting === undefined) this.#byExecution.set(execution, new Set([id]));
    else waiting.add(id);
  }

  startOf(execution: ExecutionId): Message | undefined {
    return this.#starts.get(execution);
  }

  has(id: MessageId): boolean {
    return this.#messages.has(id);
  }

  delete(id: MessageId): void {
    const message = this.#messages.get(id);
    if (message === undefined) return;
    this.#messages.delete(id);
    if (message.isStart === true) this.#starts.delete(message.execution);
    const waiting = this.#byExecution.get(message.execution);
    waiting?.delete(id);
    if (waiting?.size === 0) this.#byExecution.delete(message.execution);
    if (this.#ids.length > 2 * this.#messages.size + SPENT_MAX) this.#ids = [...this.#messages.keys()];
  }

  deleteAll(execution: ExecutionId): void {
    for (const id of this.#byExecution.get(execution) ?? []) this.delete(id);
  }

  waiting(execution: ExecutionId): number {
    return this.#byExecution.get(execution)?.size ?? 0;
  }

  select({ execution, after = 0, limit = Infinity }: PollQuery): Message[] {
    const ids = execution === undefined ? this.#ids : [...(this.#byExecution.get(execution) ?? [])];
    const messages: Message[] = [];
    for (let index = binarySearch(ids, (id) => id > after); index < ids.length && messages.length < limit; index++) {
      const message = this.#messages.get(ids[index]!);
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }
}

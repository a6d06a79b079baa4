// The messages about recorded calls on the thread's side: each waits for its reply (MG1).

import type { CallReply, CallValue, ThreadCall } from "./thread-message.ts";

/** Asks the main thread about recorded calls, and passes its replies on. */
export interface CallLink {
  find(id: number, name: string): Promise<CallReply>;
  record(id: number, value: CallValue): Promise<CallReply>;
  /** An id that the thread has not used yet. */
  nextId(): number;
}

export class PortCallLink implements CallLink {
  readonly #write: (message: ThreadCall) => void;
  readonly #waiting = new Map<number, (reply: CallReply) => void>();
  #lastId = 0;

  constructor(write: (message: ThreadCall) => void) {
    this.#write = write;
  }

  nextId(): number {
    return ++this.#lastId;
  }

  find(id: number, name: string): Promise<CallReply> {
    return this.#ask({ kind: "call-find", id, name });
  }

  record(id: number, value: CallValue): Promise<CallReply> {
    return this.#ask({ kind: "call-record", id, value });
  }

  onReply(id: number, reply: CallReply): void {
    this.#waiting.get(id)?.(reply);
    this.#waiting.delete(id);
  }

  async #ask(message: ThreadCall): Promise<CallReply> {
    const { promise, resolve } = Promise.withResolvers<CallReply>();
    this.#waiting.set(message.id, resolve);
    this.#write(message);
    return await promise;
  }
}

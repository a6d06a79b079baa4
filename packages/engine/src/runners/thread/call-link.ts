// The messages about recorded calls on the thread's side: each waits for its reply (MG1).

import type { CallLink, ThreadLink } from "./thread-context.ts";
import type { CallReply, CallValue, ThreadCall } from "./thread-message.ts";

export class PortCallLink implements CallLink {
  readonly #link: Pick<ThreadLink, "write">;
  readonly #waiting = new Map<number, (reply: CallReply) => void>();
  #lastId = 0;

  constructor(link: Pick<ThreadLink, "write">) {
    this.#link = link;
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
    this.#link.write(message);
    return await promise;
  }
}

// The store of the engine, and what this process may do with it now: the engine is open or closed, the process owns the
// store or not, and it may post to the owner or only read.

import { SegnoError, type ExecutionId } from "@segno/kernel";
import type { EngineStore } from "../store/engine-store.ts";
import type { Message, MessageId, NewMessage } from "../store/store.ts";
import { notOwnerError, readOnlyError } from "./not-owner-error.ts";

export interface StoreAccessPorts {
  readonly store: EngineStore;
  readonly isReadOnly: boolean;
  /** The maximum number of posted messages that wait for one execution. */
  readonly inboxMax: number;
  /** The executions, which are loaded only while this process owns the store. */
  readonly executions: { readonly isOwned: boolean };
}

/** The posted messages, as far as direct calls of the owner use them. */
export interface PostedMessages {
  /**
   * Calls `deliver` when the messages that are posted for the execution have been delivered, so that an acknowledged
   * message is not overtaken. Calls for one execution are made in order; the next one does not wait for the result.
   * Rejects if a message cannot be delivered now.
   */
  afterPosted<Result>(id: ExecutionId, deliver: () => Result | Promise<Result>): Promise<Result>;
}

const NO_INBOX: PostedMessages = { afterPosted: async (_, deliver) => deliver() };

export class StoreAccess {
  readonly #ports: StoreAccessPorts;
  #inbox: PostedMessages = NO_INBOX;
  readonly store: EngineStore;
  readonly inboxMax: number;
  #isClosed = false;

  constructor(ports: StoreAccessPorts) {
    this.#ports = ports;
    this.store = ports.store;
    this.inboxMax = ports.inboxMax;
  }

  /** Direct calls follow the messages of this inbox. */
  connect(inbox: PostedMessages): void {
    this.#inbox = inbox;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The engine begins to close: callers are refused from now on. */
  close(): void {
    this.#isClosed = true;
  }

  get isOwner(): boolean {
    return this.#ports.executions.isOwned;
  }

  /** Whether this process may continue work of an owner. */
  get isOpenOwner(): boolean {
    return this.isOwner && !this.#isClosed;
  }

  assertOpen(): void {
    if (this.#isClosed) throw new SegnoError("ENGINE_CLOSED", "the engine is closed");
  }

  assertOwner(): void {
    this.assertOpen();
    if (!this.isOwner) throw notOwnerError();
  }

  /** A process that does not own the store may write to it, unless it only reads. `what` completes the message. */
  assertWritable(what: string): void {
    this.assertOpen();
    if (this.#ports.isReadOnly) throw readOnlyError(what);
  }

  /** Posts a message to the owner of the store. */
  async post(message: NewMessage): Promise<MessageId> {
    if (this.#ports.isReadOnly) throw readOnlyError("start or change executions");
    return this.store.post(message, this.inboxMax);
  }

  /** Calls `deliver` after the messages that are posted for the execution. Only an owner delivers. */
  afterPosted<Result>(id: ExecutionId, deliver: () => Result | Promise<Result>): Promise<Result> {
    return this.#inbox.afterPosted(id, deliver);
  }

  /** The start that is posted for an execution that does not exist yet (K12). */
  async postedStart(execution: ExecutionId): Promise<Message | undefined> {
    return (await this.store.poll({ execution })).messages.find(({ isStart }) => isStart === true);
  }

  /** Whether a message is still in the inbox. */
  async isPosted(execution: ExecutionId, message: MessageId): Promise<boolean> {
    return (await this.store.poll({ execution })).messages.some(({ id }) => id === message);
  }
}

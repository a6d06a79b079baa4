// The inbox table: what any process posts and the owner takes (LEASE-5).
//
//   I1. Ids rise and never come twice, so the order is the order of posting.
//   I2. Asking again costs one pragma as long as nobody wrote: another connection changes `data_version`, this one says so
//       itself by `touch`.
//   I3. What waits for an execution is counted in the transaction that adds to it, and never beyond the limit.

import type { StatementSync } from "node:sqlite";
import type { Codec } from "../../store/codec.ts";
import { checkMessage } from "../../store/fence.ts";
import { inboxFull } from "../../store/inbox-full.ts";
import type { Message, MessageId, NewMessage, Poll } from "../../store/store.ts";
import { decodedBody } from "./codec-check.ts";
import type { Connection } from "./connection.ts";
import { INSERT_DEFINITION } from "./journal-writer.ts";

const INSERT_MESSAGE = "INSERT INTO inbox (execution, posted_at, body) VALUES (?, ?, ?)";
const SELECT_MESSAGES = "SELECT id, execution, posted_at AS postedAt, body FROM inbox ORDER BY id";
export const COUNT_WAITING = "SELECT count(*) AS waiting FROM (SELECT 1 FROM inbox WHERE execution = ? LIMIT ?)";
const DATA_VERSION = "PRAGMA data_version";

export class Inbox {
  readonly #connection: Connection;
  readonly #codec: Codec;
  readonly #insertMessage: StatementSync;
  readonly #insertDefinition: StatementSync;
  readonly #selectMessages: StatementSync;
  readonly #countWaiting: StatementSync;
  readonly #dataVersion: StatementSync;
  #known: readonly Message[] = [];
  #isTouched = true;
  #version = -1;

  constructor(connection: Connection, codec: Codec) {
    this.#connection = connection;
    this.#codec = codec;
    this.#insertMessage = connection.prepare(INSERT_MESSAGE);
    this.#insertDefinition = connection.prepare(INSERT_DEFINITION);
    this.#selectMessages = connection.prepare(SELECT_MESSAGES);
    this.#countWaiting = connection.prepare(COUNT_WAITING);
    this.#dataVersion = connection.prepare(DATA_VERSION);
  }

  post(message: NewMessage, waitingMax: number | undefined): MessageId {
    checkMessage(message);
    const id = this.#connection.transact(() => {
      if (waitingMax !== undefined) this.#checkRoom(message, waitingMax);
      for (const { hash, body } of message.definitions ?? [])
        this.#insertDefinition.run(hash, this.#codec.encode(body));
      const { execution, postedAt, body } = message;
      return Number(this.#insertMessage.run(execution, postedAt, this.#codec.encode(body)).lastInsertRowid);
    });
    this.touch();
    return id;
  }

  poll(): Poll {
    return this.#connection.run(() => {
      const { data_version: version } = this.#dataVersion.get() as { data_version: number };
      if (version === this.#version && !this.#isTouched) return { messages: this.#known };
      this.#known = this.#read();
      this.#version = version;
      this.#isTouched = false;
      return { messages: this.#known };
    });
  }

  /** This connection has posted or taken something. */
  touch(): void {
    this.#isTouched = true;
  }

  #checkRoom({ execution }: NewMessage, waitingMax: number): void {
    const { waiting } = this.#countWaiting.get(execution, waitingMax) as { waiting: number };
    if (waiting >= waitingMax) throw inboxFull(execution, waitingMax);
  }

  #read(): Message[] {
    const rows = this.#selectMessages.all() as unknown as Message[];
    return rows.map(({ id, execution, postedAt, body }) => ({
      id,
      execution,
      postedAt,
      body: decodedBody(body, this.#connection, this.#codec),
    }));
  }
}

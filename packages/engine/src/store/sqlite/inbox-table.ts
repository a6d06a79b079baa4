// The inbox table: any process posts messages, and the owner takes them (LEASE-5).
//
//   I1. Ids rise and are never reused (`message-ids.ts`), so their order is the order of posting.
//   I2. A poll of an empty inbox costs one pragma while no connection writes. Another connection changes
//       `data_version`; this connection reports its own writes by `touch`. Otherwise a poll reads no more than
//       requested.
//   I3. The waiting messages of an execution are counted in the transaction that adds one, up to the limit. The same
//       transaction looks for what has the id of a start (K12).

import type { StatementSync } from "node:sqlite";
import { executionExists } from "../../checks/execution-exists.ts";
import type { Codec } from "../codec.ts";
import { checkMessage } from "../fence.ts";
import { inboxFull } from "../inbox-full.ts";
import type { Message, MessageId, NewMessage, Poll, PollQuery } from "../store.ts";
import { checkCodec, decodedBody } from "./codec-check.ts";
import type { SqliteConnection } from "./connection.ts";
import { DefinitionRows } from "./definition-rows.ts";
import { SELECT_START } from "./journal-writer.ts";
import { UNLIMITED } from "./log-table.ts";
import { NEXT_MESSAGE_ID, RECORD_MESSAGE_ID } from "./message-ids.ts";
import { ID_MAX, insertedId, readRow, readRows } from "./row-reading.ts";

const INSERT_MESSAGE = `
INSERT INTO inbox (id, execution, posted_at, body, is_start) VALUES (${NEXT_MESSAGE_ID}, ?, ?, ?, ?)`;

export const SELECT_MESSAGES: string = `
SELECT id, execution, posted_at AS postedAt, body, is_start AS isStart FROM inbox WHERE id > ? AND id <= ${ID_MAX}
ORDER BY id LIMIT ?`;
export const SELECT_MESSAGES_OF_ONE: string = `
SELECT id, execution, posted_at AS postedAt, body, is_start AS isStart FROM inbox INDEXED BY inbox_by_execution
WHERE execution = ? AND id > ? AND id <= ${ID_MAX} ORDER BY id LIMIT ?`;
export const COUNT_WAITING = "SELECT count(*) AS waiting FROM (SELECT 1 FROM inbox WHERE execution = ? LIMIT ?)";
const SELECT_EXECUTION = "SELECT 1 FROM executions WHERE id = ?";
const DATA_VERSION = "PRAGMA data_version";

interface MessageRow extends Omit<Message, "isStart"> {
  readonly isStart: number | null;
}

const NOTHING: Poll = Object.freeze({ messages: Object.freeze([]) });

export class InboxTable {
  readonly #connection: SqliteConnection;
  readonly #codec: Codec;
  readonly #insertMessage: StatementSync;
  readonly #recordId: StatementSync;
  readonly #definitions: DefinitionRows;
  readonly #selectMessages: StatementSync;
  readonly #selectMessagesOfOne: StatementSync;
  readonly #countWaiting: StatementSync;
  readonly #selectExecution: StatementSync;
  readonly #selectStart: StatementSync;
  readonly #dataVersion: StatementSync;
  #isEmpty = false;
  #version = -1;

  constructor(connection: SqliteConnection, codec: Codec) {
    this.#connection = connection;
    this.#codec = codec;
    this.#insertMessage = connection.prepare(INSERT_MESSAGE);
    this.#recordId = connection.prepare(RECORD_MESSAGE_ID);
    this.#definitions = new DefinitionRows(connection, codec);
    this.#selectMessages = connection.prepare(SELECT_MESSAGES);
    this.#selectMessagesOfOne = connection.prepare(SELECT_MESSAGES_OF_ONE);
    this.#countWaiting = connection.prepare(COUNT_WAITING);
    this.#selectExecution = connection.prepare(SELECT_EXECUTION);
    this.#selectStart = connection.prepare(SELECT_START);
    this.#dataVersion = connection.prepare(DATA_VERSION);
  }

  post(message: NewMessage, waitingMax: number | undefined): MessageId {
    checkMessage(message);
    const id = this.#connection.transact(() => {
      const same = message.isStart === true ? this.#sameStart(message) : undefined;
      if (same !== undefined) return same;
      if (waitingMax !== undefined) this.#checkRoom(message, waitingMax);
      for (const definition of message.definitions ?? []) this.#definitions.write(definition);
      const { execution, postedAt, body, isStart } = message;
      const mark = isStart === true ? 1 : null;
      const posted = insertedId(this.#insertMessage.run(execution, postedAt, this.#codec.encode(body), mark));
      this.#recordId.run(posted);
      return posted;
    });
    this.touch();
    return id;
  }

  poll(query: PollQuery = {}): Poll {
    return this.#connection.run(() => {
      const { data_version: version } = this.#dataVersion.get() as { data_version: number };
      if (version !== this.#version) this.touch();
      this.#version = version;
      if (this.#isEmpty) return NOTHING;
      const messages = this.#read(query);
      this.#isEmpty = messages.length === 0 && isUnfiltered(query);
      return { messages };
    });
  }

  /** Records that this connection has posted or taken a message. */
  touch(): void {
    this.#isEmpty = false;
  }

  /** The id of the same start that is already posted. Refuses a start whose id is taken (K12). */
  #sameStart({ execution, body }: NewMessage): MessageId | undefined {
    const posted = readRow(this.#selectStart, execution) as Pick<Message, "id" | "body"> | undefined;
    if (posted !== undefined && decodedBody(posted.body, this.#codec) === body) return posted.id;
    if (posted !== undefined || this.#selectExecution.get(execution) !== undefined) throw executionExists(execution);
    return undefined;
  }

  #checkRoom({ execution }: NewMessage, waitingMax: number): void {
    const { waiting } = this.#countWaiting.get(execution, waitingMax) as { waiting: number };
    if (waiting >= waitingMax) throw inboxFull(execution, waitingMax);
  }

  #read({ execution, after = 0, limit = UNLIMITED }: PollQuery): Message[] {
    const rows =
      execution === undefined
        ? readRows(this.#selectMessages, after, limit)
        : readRows(this.#selectMessagesOfOne, execution, after, limit);
    return (rows as unknown as MessageRow[]).map(({ isStart, ...row }) => {
      return { ...row, ...this.#decoded(row.body), ...(isStart === 1 ? { isStart: true } : {}) };
    });
  }

  /** A message that the codec cannot decode does not hold back the others, unless the codec fails altogether. */
  #decoded(body: unknown): Pick<Message, "body" | "isUnreadable"> {
    try {
      return { body: decodedBody(body, this.#codec) };
    } catch {
      checkCodec(this.#connection, this.#codec);
      return { body: "", isUnreadable: true };
    }
  }
}

function isUnfiltered({ execution, after = 0, limit = 1 }: PollQuery): boolean {
  return execution === undefined && after === 0 && limit !== 0;
}

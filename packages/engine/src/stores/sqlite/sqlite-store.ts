// The SQLite store: one file, no server (K1 to K10). Everything happens on the calling thread; only commits, logs and notes
// of processes may go to a thread of their own, where the disk is slow (`writer-choice.ts`). That thread is one more writer
// on the same file (W1): what this one has cached of the journal is old when it writes, and the inbox sees it by
// `data_version` (I2).

import type { ContentHash, EpochMs, ExecutionId } from "@segno/kernel";
import { PLAIN, type Codec } from "../../store/codec.ts";
import type { Backup } from "../../store/backup.ts";
import { logRowsOf } from "../../store/log-rows.ts";
import type { ProcessEntry, ProcessTable } from "../../store/process-table.ts";
import type { LogRequest, NewLogs, StepLogs, StoredLine } from "../../store/step-logs.ts";
import type { StoreAdmin } from "../../store/store-admin.ts";
import { StoreFault } from "../../store/store-fault.ts";
import type {
  Batch,
  ContentRequest,
  LoadResult,
  MessageId,
  NewMessage,
  Page,
  Poll,
  PollQuery,
  Query,
  Store,
} from "../../store/store.ts";
import { checkCodec, faultingCodec } from "./codec-check.ts";
import { openConnection, type Connection } from "./connection.ts";
import { ExecutionReader } from "./execution-reader.ts";
import { Housekeeping } from "./housekeeping.ts";
import { Inbox } from "./inbox.ts";
import { JournalWriter } from "./journal-writer.ts";
import { LogTable } from "./log-table.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { ProcessRows } from "./process-rows.ts";
import { Tail } from "./tail.ts";
import { WRITER_PARTS, writerThreadFor, type WriterOptions, type WriterParts } from "./writer-choice.ts";
import type { WriterThread } from "./writer-thread.ts";

export type SqliteStoreOptions = WriterOptions;

/** Opens the store in `file`, which is made, with its folders, when it is not there. */
export async function openSqliteStore(
  file: string,
  options: SqliteStoreOptions = {},
  parts: WriterParts = WRITER_PARTS,
): Promise<SqliteStore> {
  const connection = openConnection(file, options);
  try {
    migrate(connection, MIGRATIONS);
    checkCodec(connection, options.codec ?? PLAIN);
    const codec = options.codec === undefined ? PLAIN : faultingCodec(options.codec);
    return new SqliteStore(connection, codec, writerThreadFor(file, { ...options, codec }, parts));
  } catch (error) {
    connection.close();
    throw error;
  }
}

export class SqliteStore implements Store, StoreAdmin, StepLogs, ProcessTable, Backup {
  readonly #connection: Connection;
  readonly #codec: Codec;
  readonly #reader: ExecutionReader;
  readonly #writer: JournalWriter;
  readonly #inbox: Inbox;
  readonly #housekeeping: Housekeeping;
  readonly #logs: LogTable;
  readonly #processes: ProcessRows;
  readonly #thread: WriterThread | undefined;
  #closed: Promise<void> | undefined;

  constructor(connection: Connection, codec: Codec = PLAIN, thread?: WriterThread) {
    this.#connection = connection;
    this.#codec = codec;
    this.#thread = thread;
    const tail = new Tail(connection);
    this.#reader = new ExecutionReader(connection, codec, tail);
    this.#writer = new JournalWriter(connection, codec, tail);
    this.#inbox = new Inbox(connection, codec);
    this.#housekeeping = new Housekeeping(connection, this.#writer, codec, tail);
    this.#logs = new LogTable(connection);
    this.#processes = new ProcessRows(connection);
    this.#settle();
  }

  async commit(batch: Batch): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) return this.#thread.commit(batch);
    if (batch.taken.length > 0) this.#inbox.touch();
    this.#writer.commit(batch);
  }

  async load(id: ExecutionId): Promise<LoadResult | undefined> {
    this.#checkOpen();
    return this.#reader.load(id);
  }

  async contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>> {
    this.#checkOpen();
    return this.#reader.contents(request);
  }

  async find(query: Query): Promise<Page> {
    this.#checkOpen();
    return this.#reader.find(query);
  }

  async post(message: NewMessage, waitingMax?: number): Promise<MessageId> {
    this.#checkOpen();
    return this.#inbox.post(message, waitingMax);
  }

  async poll(query?: PollQuery): Promise<Poll> {
    this.#checkOpen();
    return this.#inbox.poll(query);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async quarantine(id: ExecutionId, reason: string): Promise<void> {
    this.#checkOpen();
    this.#housekeeping.quarantine(id, reason);
  }

  async removeEnded(before: EpochMs, limit: number): Promise<number> {
    this.#checkOpen();
    this.#inbox.touch();
    return this.#housekeeping.removeEnded(before, limit);
  }

  async remove(id: ExecutionId): Promise<boolean> {
    this.#checkOpen();
    this.#inbox.touch();
    return this.#housekeeping.remove(id);
  }

  async removePayloads(id: ExecutionId, redact: (body: string) => string): Promise<boolean> {
    this.#checkOpen();
    return this.#housekeeping.removePayloads(id, redact);
  }

  async integrity(): Promise<readonly string[]> {
    this.#checkOpen();
    return this.#housekeeping.integrity();
  }

  async vacuum(): Promise<void> {
    this.#checkOpen();
    this.#housekeeping.vacuum();
  }

  async backup(file: string): Promise<void> {
    this.#checkOpen();
    this.#housekeeping.backup(file);
  }

  async sweepKeys(before: EpochMs, limit?: number): Promise<number> {
    this.#checkOpen();
    return this.#housekeeping.sweepKeys(before, limit);
  }

  async appendLogs(logs: readonly NewLogs[]): Promise<void> {
    this.#checkOpen();
    const rows = logs.map((one) => logRowsOf(one, this.#codec));
    if (this.#thread !== undefined) return this.#thread.write({ kind: "append-logs", logs: rows });
    this.#logs.append(rows);
  }

  async readLogs(request: LogRequest): Promise<readonly StoredLine[]> {
    this.#checkOpen();
    return this.#logs.read(request, this.#codec);
  }

  async removeLogs(before: EpochMs, limit?: number): Promise<number> {
    this.#checkOpen();
    return this.#logs.removeOld(before, limit);
  }

  async noteProcess(entry: ProcessEntry): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) return this.#thread.write({ kind: "note-process", entry });
    this.#processes.note(entry);
  }

  async forgetProcess(marker: string): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) return this.#thread.write({ kind: "forget-process", marker });
    this.#processes.forget(marker);
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    this.#checkOpen();
    return this.#processes.all();
  }

  /** The thread goes first: rows are settled when nobody adds to them, and SQLite removes its log with the last connection. */
  async #close(): Promise<void> {
    if (this.#thread !== undefined) await this.#thread.close();
    this.#settle();
    this.#connection.run(() => this.#connection.close());
  }

  #checkOpen(): void {
    if (this.#closed !== undefined)
      throw new StoreFault("STORE_CLOSED", "the store was closed; open it again to use it");
  }

  /** Makes reading cheaper and nothing wrong, so a full or busy disk is no reason to fail here. */
  #settle(): void {
    if (this.#connection.isReadOnly) return;
    try {
      this.#writer.settle();
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
    }
  }
}

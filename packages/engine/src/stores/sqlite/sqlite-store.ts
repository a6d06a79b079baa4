// The SQLite store: one file, no server (K1 to K10). Everything happens on the calling thread; only commits, logs and notes
// of processes may go to a thread of their own, where the disk is slow (`writer-choice.ts`). That thread is one more writer
// on the same file (W1): what this one has cached of the journal is old when it writes, and the inbox sees it by
// `data_version` (I2).

import type { ContentHash, EpochMs, ExecutionId } from "@segno/kernel";
import { PLAIN, type Codec } from "../../store/codec.ts";
import type { Backup, FrozenStore, OrphanedRows, Rewrite } from "../../store/backup.ts";
import { logRowsOf } from "../../store/log-rows.ts";
import type { ProcessEntry, ProcessTable } from "../../store/process-table.ts";
import type { LogRequest, NewLogs, StepLogs, StoredLine } from "../../store/step-logs.ts";
import type { Examination, StoreAdmin } from "../../store/store-admin.ts";
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
import { openConnection, type Connection, type ConnectionOptions } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { ensureStore } from "./new-store.ts";
import { orphanedRows } from "./orphaned-rows.ts";
import { SqliteTables } from "./sqlite-tables.ts";
import { WRITER_PARTS, writerThreadFor, type WriterOptions, type WriterParts } from "./writer-choice.ts";
import type { WriterThread } from "./writer-thread.ts";

export type SqliteStoreOptions = WriterOptions;

/** Opens the store in `file`, which is made, with its folders, when it is not there. */
export async function openSqliteStore(
  file: string,
  options: SqliteStoreOptions = {},
  parts: WriterParts = WRITER_PARTS,
): Promise<SqliteStore> {
  const codec = options.codec === undefined ? PLAIN : faultingCodec(options.codec);
  if (options.readOnly !== true) ensureStore(file, codec, options);
  const connection = openConnection(file, options);
  try {
    migrate(connection, MIGRATIONS);
    checkCodec(connection, codec);
    const openAgain: OpenAgain = (change) => openConnection(file, { ...options, ...change });
    const thread = writerThreadFor(file, { ...options, codec }, parts);
    return new SqliteStore(connection, { codec, thread, open: openAgain });
  } catch (error) {
    connection.close();
    throw error;
  }
}

type OpenAgain = (change?: ConnectionOptions) => Connection;

export interface SqliteStoreParts {
  readonly codec?: Codec;
  readonly thread?: WriterThread | undefined;
  /** Opens the file once more: where SQLite fails at reading it (R1), and to hold one state of it still. */
  readonly open?: OpenAgain;
  readonly monotonicMs?: () => number;
}

export class SqliteStore implements Store, StoreAdmin, StepLogs, ProcessTable, Backup {
  readonly #codec: Codec;
  readonly #tables: SqliteTables;
  readonly #thread: WriterThread | undefined;
  readonly #open: OpenAgain | undefined;
  #closed: Promise<void> | undefined;

  constructor(connection: Connection, { codec = PLAIN, thread, open, ...parts }: SqliteStoreParts = {}) {
    this.#codec = codec;
    this.#thread = thread;
    this.#open = open;
    this.#tables = new SqliteTables(connection, {
      codec,
      open: open === undefined ? undefined : () => open(),
      ...parts,
    });
    this.#settle();
  }

  async commit(batch: Batch): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) return this.#thread.commit(batch);
    this.#tables.write(({ inbox, writer }) => {
      if (batch.taken.length > 0) inbox.touch();
      writer.commit(batch);
    });
  }

  async load(id: ExecutionId): Promise<LoadResult | undefined> {
    this.#checkOpen();
    return this.#tables.read(({ reader }) => reader.load(id));
  }

  async contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>> {
    this.#checkOpen();
    return this.#tables.read(({ reader }) => reader.contents(request));
  }

  async find(query: Query): Promise<Page> {
    this.#checkOpen();
    return this.#tables.read(({ reader }) => reader.find(query));
  }

  async post(message: NewMessage, waitingMax?: number): Promise<MessageId> {
    this.#checkOpen();
    return this.#tables.write(({ inbox }) => inbox.post(message, waitingMax));
  }

  async poll(query?: PollQuery): Promise<Poll> {
    this.#checkOpen();
    return this.#tables.read(({ inbox }) => inbox.poll(query));
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async quarantine(id: ExecutionId, reason: string): Promise<void> {
    this.#checkOpen();
    this.#tables.write(({ housekeeping }) => housekeeping.quarantine(id, reason));
  }

  async release(id: ExecutionId): Promise<boolean> {
    this.#checkOpen();
    return this.#tables.write(({ housekeeping }) => housekeeping.release(id));
  }

  async examine(id: ExecutionId): Promise<Examination | undefined> {
    this.#checkOpen();
    return this.#tables.read(({ reader }) => reader.examine(id));
  }

  async rewrite(rewrites: readonly Rewrite[]): Promise<void> {
    this.#checkOpen();
    this.#tables.write(({ housekeeping }) => housekeeping.rewrite(rewrites));
  }

  async reopen(): Promise<void> {
    this.#checkOpen();
    this.#tables.reopen();
  }

  async freeze(): Promise<FrozenStore> {
    this.#checkOpen();
    if (this.#open === undefined) throw new StoreFault("STORE_UNSUPPORTED", "this store cannot be opened once more");
    return frozenStore(this.#open({ readOnly: true }), this.#codec);
  }

  async removeEnded(before: EpochMs, limit: number): Promise<number> {
    this.#checkOpen();
    return this.#tables.write(({ inbox, housekeeping }) => {
      inbox.touch();
      return housekeeping.removeEnded(before, limit);
    });
  }

  async remove(id: ExecutionId): Promise<boolean> {
    this.#checkOpen();
    return this.#tables.write(({ inbox, housekeeping }) => {
      inbox.touch();
      return housekeeping.remove(id);
    });
  }

  async removePayloads(id: ExecutionId, redact: (body: string) => string, at: EpochMs): Promise<boolean> {
    this.#checkOpen();
    return this.#tables.write(({ housekeeping }) => housekeeping.removePayloads(id, redact, at));
  }

  async integrity(): Promise<readonly string[]> {
    this.#checkOpen();
    return this.#tables.now.housekeeping.integrity();
  }

  async vacuum(): Promise<void> {
    this.#checkOpen();
    this.#tables.write(({ housekeeping }) => housekeeping.vacuum());
  }

  async backup(file: string): Promise<void> {
    this.#checkOpen();
    this.#tables.read(({ housekeeping }) => housekeeping.backup(file));
  }

  async sweepKeys(before: EpochMs, limit?: number): Promise<number> {
    this.#checkOpen();
    return this.#tables.write(({ housekeeping }) => housekeeping.sweepKeys(before, limit));
  }

  async appendLogs(logs: readonly NewLogs[]): Promise<void> {
    this.#checkOpen();
    const rows = logs.map((one) => logRowsOf(one, this.#codec));
    if (this.#thread !== undefined) return this.#thread.write({ kind: "append-logs", logs: rows });
    this.#tables.write(({ logs: table }) => table.append(rows));
  }

  async readLogs(request: LogRequest): Promise<readonly StoredLine[]> {
    this.#checkOpen();
    return this.#tables.read(({ logs }) => logs.read(request, this.#codec));
  }

  async removeLogs(before: EpochMs, limit?: number): Promise<number> {
    this.#checkOpen();
    return this.#tables.write(({ logs }) => logs.removeOld(before, limit));
  }

  async noteProcess(entry: ProcessEntry): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) return this.#thread.write({ kind: "note-process", entry });
    this.#tables.write(({ processes }) => processes.note(entry));
  }

  async forgetProcess(marker: string): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) return this.#thread.write({ kind: "forget-process", marker });
    this.#tables.write(({ processes }) => processes.forget(marker));
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    this.#checkOpen();
    return this.#tables.read(({ processes }) => processes.all());
  }

  /** The thread goes first: rows are settled when nobody adds to them, and SQLite removes its log with the last connection. */
  async #close(): Promise<void> {
    if (this.#thread !== undefined) await this.#thread.close();
    this.#settle();
    const { connection } = this.#tables.now;
    connection.run(() => connection.close());
  }

  #checkOpen(): void {
    if (this.#closed !== undefined)
      throw new StoreFault("STORE_CLOSED", "the store was closed; open it again to use it");
  }

  /** Makes reading cheaper and nothing wrong, so a full or busy disk is no reason to fail here. */
  #settle(): void {
    const { connection, writer } = this.#tables.now;
    if (connection.isReadOnly) return;
    try {
      writer.settle();
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
    }
  }
}

/** One state of the file, held still by a connection of its own. */
class FrozenSqliteStore extends SqliteStore implements FrozenStore {
  readonly #connection: Connection;

  constructor(connection: Connection, codec: Codec) {
    super(connection, { codec });
    this.#connection = connection;
  }

  async orphans(rows: number): Promise<readonly OrphanedRows[]> {
    return orphanedRows(this.#connection, rows);
  }
}

function frozenStore(connection: Connection, codec: Codec): FrozenSqliteStore {
  try {
    connection.freeze();
    return new FrozenSqliteStore(connection, codec);
  } catch (error) {
    connection.close();
    throw error;
  }
}

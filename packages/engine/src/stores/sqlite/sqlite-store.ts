// The SQLite store: one file, no server (K1 to K10). Everything happens on the calling thread; only commits, logs and notes
// of processes may go to a thread of their own, where the disk is slow (`writer-choice.ts`). That thread is one more writer
// on the same file (W1): what this one has cached of the journal is old when it writes, and the inbox sees it by
// `data_version` (I2).

import type { ContentHash, EpochMs, ExecutionId } from "@segno/kernel";
import { PLAIN, type Codec } from "../../store/codec.ts";
import type { Backup } from "../../store/backup.ts";
import type { FileCheck } from "../../store/file-check.ts";
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
import { systemFaultOf } from "../system-fault.ts";
import { checkCodec, faultingCodec } from "./codec-check.ts";
import { openConnection, type Connection } from "./connection.ts";
import { joinLockGroup, leaveLockGroup, lockAgain, type LockGroupMember } from "./lock-group.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { tablesOf, type Tables } from "./sqlite-tables.ts";
import { StoreFiles } from "./store-files.ts";
import { adopt, isForeign, recordCreation, storeId } from "./store-identity.ts";
import { WRITER_PARTS, writerThreadFor, type WriterOptions, type WriterParts } from "./writer-choice.ts";
import type { WriterThread } from "./writer-thread.ts";

export interface SqliteStoreOptions extends WriterOptions {
  /**
   * Whether this process may take itself for the last one when it closes the store, and remove SQLite's log. Only an owner
   * may: the locks of others tell whether they still use the log, and they may have lost them (Q4).
   */
  readonly removesLog?: () => boolean;
}

/** Opens the store in `file`, which is made, with its folders, when it is not there. */
export async function openSqliteStore(
  file: string,
  options: SqliteStoreOptions = {},
  parts: WriterParts = WRITER_PARTS,
): Promise<SqliteStore> {
  const { removesLog, ...writing } = options;
  const open = (): Connection => openConnection(file, { ...writing, isGuarded: removesLog !== undefined });
  const connection = open();
  try {
    migrate(connection, MIGRATIONS, () => recordCreation(connection));
    checkCodec(connection, options.codec ?? PLAIN);
    const codec = options.codec === undefined ? PLAIN : faultingCodec(options.codec);
    const thread = writerThreadFor(file, { ...writing, codec }, parts);
    const openFiles = (): StoreFiles => new StoreFiles(file);
    return new SqliteStore(connection, { codec, thread, file, open, openFiles, removesLog });
  } catch (error) {
    connection.close();
    throw error;
  }
}

export interface SqliteStoreParts {
  readonly codec?: Codec;
  readonly thread?: WriterThread | undefined;
  /** The name of the file; without it its locks are not looked after. */
  readonly file?: string;
  /** Opens the file again, when the locks of this process on it are gone. */
  readonly open?: () => Connection;
  /** What is looked at to see whether the files are still there; without it nothing is. */
  readonly openFiles?: () => StoreFiles;
  /** Whether SQLite may remove the log when the store is closed; without it it may. */
  readonly removesLog?: (() => boolean) | undefined;
}

export class SqliteStore implements Store, StoreAdmin, StepLogs, ProcessTable, Backup, FileCheck, LockGroupMember {
  readonly #codec: Codec;
  readonly #thread: WriterThread | undefined;
  readonly #parts: Omit<SqliteStoreParts, "codec" | "thread">;
  #tables: Tables;
  #files: StoreFiles | undefined;
  /** Why nothing can be read or written: for good when the files were moved. */
  #fault: StoreFault | undefined;
  #closed: Promise<void> | undefined;

  constructor(connection: Connection, { codec = PLAIN, thread, ...parts }: SqliteStoreParts = {}) {
    this.#codec = codec;
    this.#thread = thread;
    this.#parts = parts;
    this.#tables = tablesOf(connection, codec);
    this.#files = parts.openFiles?.();
    if (parts.file !== undefined) joinLockGroup(parts.file, this);
    this.#settle();
  }

  async commit(batch: Batch): Promise<void> {
    this.#checkWritable();
    if (this.#thread === undefined) this.#commitHere(batch);
    else await this.#thread.commit(batch);
    this.#acknowledge();
  }

  #commitHere(batch: Batch): void {
    if (batch.taken.length > 0) this.#tables.inbox.touch();
    this.#tables.writer.commit(batch);
  }

  async load(id: ExecutionId): Promise<LoadResult | undefined> {
    this.#checkOpen();
    return this.#tables.reader.load(id);
  }

  async contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>> {
    this.#checkOpen();
    return this.#tables.reader.contents(request);
  }

  async find(query: Query): Promise<Page> {
    this.#checkOpen();
    return this.#tables.reader.find(query);
  }

  async post(message: NewMessage, waitingMax?: number): Promise<MessageId> {
    this.#checkWritable();
    const id = this.#tables.inbox.post(message, waitingMax);
    this.#acknowledge();
    return id;
  }

  async poll(query?: PollQuery): Promise<Poll> {
    this.#checkOpen();
    return this.#tables.inbox.poll(query);
  }

  /** The same in every copy of the store. */
  get id(): string {
    return storeId(this.#tables.connection);
  }

  /** Whether another user made it, or it was made on another machine. */
  get isForeign(): boolean {
    return isForeign(this.#tables.connection);
  }

  /** Makes it this user's. */
  adopt(): void {
    adopt(this.#tables.connection);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async quarantine(id: ExecutionId, reason: string): Promise<void> {
    this.#checkOpen();
    this.#tables.housekeeping.quarantine(id, reason);
  }

  async removeEnded(before: EpochMs, limit: number): Promise<number> {
    this.#checkOpen();
    this.#tables.inbox.touch();
    return this.#tables.housekeeping.removeEnded(before, limit);
  }

  async remove(id: ExecutionId): Promise<boolean> {
    this.#checkOpen();
    this.#tables.inbox.touch();
    return this.#tables.housekeeping.remove(id);
  }

  async removePayloads(id: ExecutionId, redact: (body: string) => string): Promise<boolean> {
    this.#checkOpen();
    return this.#tables.housekeeping.removePayloads(id, redact);
  }

  async integrity(): Promise<readonly string[]> {
    this.#checkOpen();
    return this.#tables.housekeeping.integrity();
  }

  async vacuum(): Promise<void> {
    this.#checkOpen();
    this.#tables.housekeeping.vacuum();
  }

  async backup(file: string): Promise<void> {
    this.#checkOpen();
    this.#tables.housekeeping.backup(file);
  }

  async sweepKeys(before: EpochMs, limit?: number): Promise<number> {
    this.#checkOpen();
    return this.#tables.housekeeping.sweepKeys(before, limit);
  }

  async appendLogs(logs: readonly NewLogs[]): Promise<void> {
    this.#checkOpen();
    const rows = logs.map((one) => logRowsOf(one, this.#codec));
    if (this.#thread !== undefined) return this.#thread.write({ kind: "append-logs", logs: rows });
    this.#tables.logs.append(rows);
  }

  async readLogs(request: LogRequest): Promise<readonly StoredLine[]> {
    this.#checkOpen();
    return this.#tables.logs.read(request, this.#codec);
  }

  async removeLogs(before: EpochMs, limit?: number): Promise<number> {
    this.#checkOpen();
    return this.#tables.logs.removeOld(before, limit);
  }

  async noteProcess(entry: ProcessEntry): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) return this.#thread.write({ kind: "note-process", entry });
    this.#tables.processes.note(entry);
  }

  async forgetProcess(marker: string): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) return this.#thread.write({ kind: "forget-process", marker });
    this.#tables.processes.forget(marker);
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    this.#checkOpen();
    return this.#tables.processes.all();
  }

  async checkFiles(): Promise<void> {
    if (this.#fault?.code === "STORE_MOVED") throw this.#fault;
    if (this.#closed !== undefined) return;
    this.#look((files) => files.check());
    const isUnlocked = this.#fault !== undefined || this.#files?.isLocked === false;
    if (isUnlocked && this.#parts.file !== undefined) await lockAgain(this.#parts.file);
    if (this.#fault !== undefined) throw this.#fault;
  }

  async quiesce(): Promise<void> {
    if (this.#thread !== undefined) await this.#thread.close();
  }

  shut(): void {
    this.#noteMove();
    this.#fault ??= new StoreFault("STORE_IO", "the store: its locks were lost, and it could not be opened again");
    this.#files?.close();
    this.#files = undefined;
    this.#tables.connection.close({ keepsLog: true });
  }

  /** Where the file is not there any more, none is made in its place. */
  reopen(): void {
    const { open, openFiles } = this.#parts;
    if (this.#fault?.code === "STORE_MOVED" || open === undefined) return;
    this.#tables = tablesOf(open(), this.#codec);
    this.#files = openFiles?.();
    this.#fault = undefined;
  }

  #noteMove(): void {
    try {
      this.#look((files) => files.check());
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
    }
  }

  #look(look: (files: StoreFiles) => void): void {
    if (this.#files === undefined) return;
    try {
      look(this.#files);
    } catch (error) {
      const fault = systemFaultOf(error);
      if (fault instanceof StoreFault && fault.code === "STORE_MOVED") this.#fault = fault;
      throw fault;
    }
  }

  #checkWritable(): void {
    this.#checkOpen();
    this.#look((files) => files.checkLogFirst());
  }

  /** What was written into a log that has no name any more will not be read by anybody (J1). */
  #acknowledge(): void {
    this.#look((files) => files.checkLog());
  }

  /** The thread goes first: rows are settled when nobody adds to them, and SQLite removes its log with the last connection. */
  async #close(): Promise<void> {
    if (this.#thread !== undefined) await this.#thread.close();
    if (this.#parts.file !== undefined) leaveLockGroup(this.#parts.file, this);
    if (this.#fault === undefined) this.#settle();
    this.#files?.close();
    this.#files = undefined;
    const keepsLog = this.#fault !== undefined || this.#parts.removesLog?.() === false;
    this.#tables.connection.run(() => this.#tables.connection.close({ keepsLog }));
  }

  #checkOpen(): void {
    if (this.#closed !== undefined)
      throw new StoreFault("STORE_CLOSED", "the store was closed; open it again to use it");
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Makes reading cheaper and nothing wrong, so a full or busy disk is no reason to fail here. */
  #settle(): void {
    if (this.#tables.connection.isReadOnly) return;
    try {
      this.#tables.writer.settle();
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
    }
  }
}

// The SQLite store: one file, no server (K1 to K10). All work happens on the calling thread. If the disk is slow,
// commits, logs, process records and documents go to a writer thread (`writer-choice.ts`). That thread is one more writer on the
// same file (W1): its writes make the caches of this thread stale, and the inbox detects them by `data_version` (I2).

import type { ContentHash, EpochMs, ExecutionId } from "@segno/kernel";
import { PLAIN, type Codec } from "../codec.ts";
import type { Backup, FrozenStore, Rewrite } from "../backup.ts";
import type { DocumentStore } from "../document-store.ts";
import type { FileCheck } from "../file-check.ts";
import { encodeLogRows } from "../log-rows.ts";
import type { ProcessEntry, ProcessRecords } from "../process-records.ts";
import type { LogRequest, NewLogs, StepLogs, StoredLine } from "../step-logs.ts";
import type { StepProgress } from "../step-progress.ts";
import type { Examination, StoreAdmin } from "../store-admin.ts";
import { StoreFault } from "../store-fault.ts";
import type {
  CommitBatch,
  ContentRequest,
  LastBlock,
  LoadResult,
  MessageId,
  NewMessage,
  Page,
  Poll,
  PollQuery,
  Query,
  Store,
} from "../store.ts";
import { toSystemFault } from "../system-fault.ts";
import type { SqliteConnection } from "./connection.ts";
import type { DocumentWrite } from "./document-rows.ts";
import { recordLog, refuseForeignLog } from "./log-record.ts";
import { joinLockGroup, leaveLockGroup, lockAgain, type LockGroupMember } from "./lock-group.ts";
import { SqliteDocuments } from "./sqlite-documents.ts";
import type { Freeze, Reopen, SqliteStoreParts } from "./sqlite-store-parts.ts";
import { SqliteTables, type StoreTables } from "./sqlite-tables.ts";
import type { StoreFiles } from "./store-files.ts";
import { adopt, isForeign, storeId } from "./store-identity.ts";
import type { WriterThread } from "./writer-thread.ts";

/** A process that copies its store more often than this at once must try again later. */
const LOCK_TRIES = 10;

export class SqliteStore implements Store, StoreAdmin, StepLogs, ProcessRecords, Backup, FileCheck, LockGroupMember {
  readonly documents: DocumentStore;
  readonly #codec: Codec;
  readonly #tables: SqliteTables;
  readonly #thread: WriterThread | undefined;
  readonly #open: Reopen | undefined;
  readonly #freeze: Freeze | undefined;
  readonly #parts: Pick<SqliteStoreParts, "file" | "openFiles" | "removesLog">;
  #files: StoreFiles | undefined;
  /** The fault that blocks reads and writes. It is permanent if the files were moved. */
  #fault: StoreFault | undefined;
  #closed: Promise<void> | undefined;

  /** Without `freeze` the store takes no snapshots. */
  constructor(connection: SqliteConnection, given: SqliteStoreParts = {}, freeze?: Freeze) {
    const { codec = PLAIN, thread, open, ...parts } = given;
    this.#freeze = freeze;
    this.#codec = codec;
    this.#thread = thread;
    this.#open = open;
    this.#tables = new SqliteTables(connection, {
      codec,
      open: open === undefined ? undefined : () => open(),
      ...parts,
    });
    this.documents = new SqliteDocuments(codec, {
      read: (work) => this.#read(({ documents }) => work(documents)),
      write: (request) => this.#writeDocument(request),
    });
    this.#parts = parts;
    this.#files = parts.openFiles?.();
    if (parts.file !== undefined) joinLockGroup(parts.file, this);
    this.#tables.now.writer.tryCheckpoint();
  }

  async commit(batch: CommitBatch): Promise<void> {
    this.#checkOpen();
    if (this.#files?.isLookDue === true) this.#checkFilesWith((files) => files.checkLog());
    // On this thread, no await separates the check of the locks from the commit.
    if (this.#files?.mayLackLocks === true) await this.#takeLocks();
    this.#checkOpen();
    if (this.#thread !== undefined) await this.#thread.commit(batch);
    else this.#commitHere(batch);
    this.#checkFilesWith((files) => files.checkLog());
  }

  load(id: ExecutionId): Promise<LoadResult | undefined> {
    return this.#read(({ reader }) => reader.load(id));
  }

  loadLast(id: ExecutionId): Promise<LastBlock | undefined> {
    return this.#read(({ reader }) => reader.loadLast(id));
  }

  contents(request: ContentRequest): Promise<ReadonlyMap<ContentHash, string>> {
    return this.#read(({ reader }) => reader.contents(request));
  }

  find(query: Query): Promise<Page> {
    return this.#read(({ reader }) => reader.find(query));
  }

  async post(message: NewMessage, waitingMax?: number): Promise<MessageId> {
    // No await separates the check of the locks from the commit.
    if (this.#hasLostLocks) await this.#takeLocks();
    this.#checkOpen();
    // Unconditional: the owner may have gone since the last check, and no other process waits for one that only posts
    // (`lost-locks.ts`).
    this.#checkFilesWith((files) => files.checkLog());
    const id = this.#tables.write(({ inbox }) => inbox.post(message, waitingMax));
    this.#checkFilesWith((files) => files.checkLog());
    this.#files?.checkLocks();
    return id;
  }

  async poll(query?: PollQuery): Promise<Poll> {
    this.#checkOpen();
    return this.#tables.read(({ inbox }) => inbox.poll(query));
  }

  /** Copies of the store have the same id. */
  get id(): string {
    return storeId(this.#tables.now.connection);
  }

  /** Whether another user or another machine created the store. */
  get isForeign(): boolean {
    return isForeign(this.#tables.now.connection);
  }

  /** Marks the store as this user's. */
  adopt(): void {
    adopt(this.#tables.now.connection);
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

  async rewrite(rewrites: readonly Rewrite[]): Promise<number> {
    this.#checkOpen();
    return this.#tables.write(({ housekeeping }) => housekeeping.rewrite(rewrites));
  }

  async reopen(): Promise<void> {
    this.#checkOpen();
    this.#tables.reopen();
  }

  async freeze(): Promise<FrozenStore> {
    this.#checkOpen();
    if (this.#open === undefined || this.#freeze === undefined)
      throw new StoreFault("STORE_UNSUPPORTED", "this store cannot be opened twice");
    return this.#freeze(this.#open({ readOnly: true }), this.#codec, this.#parts.file);
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
    const rows = logs.map((one) => encodeLogRows(one, this.#codec));
    if (this.#thread !== undefined) await this.#thread.write({ kind: "append-logs", logs: rows });
    else this.#tables.write(({ logs: table }) => table.append(rows));
  }

  readLogs(request: LogRequest): Promise<readonly StoredLine[]> {
    return this.#read(({ logs }) => logs.read(request, this.#codec));
  }

  readProgress(execution: ExecutionId): Promise<readonly StepProgress[]> {
    return this.#read(({ logs }) => logs.readProgress(execution, this.#codec));
  }

  async removeLogs(before: EpochMs, limit?: number): Promise<number> {
    this.#checkOpen();
    return this.#tables.write(({ logs }) => logs.removeOld(before, limit));
  }

  async noteProcess(entry: ProcessEntry): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) await this.#thread.write({ kind: "note-process", entry });
    else this.#tables.write(({ processes }) => processes.add(entry));
  }

  async forgetProcess(marker: string): Promise<void> {
    this.#checkOpen();
    if (this.#thread !== undefined) await this.#thread.write({ kind: "forget-process", marker });
    else this.#tables.write(({ processes }) => processes.forget(marker));
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    this.#checkOpen();
    return this.#tables.read(({ processes }) => processes.all());
  }

  async checkFiles(): Promise<void> {
    if (this.#fault?.code === "STORE_MOVED") throw this.#fault;
    if (this.#closed !== undefined) return;
    if (!this.#mustLockToRead) this.#checkFilesWith((files) => files.check());
    if (this.#fault !== undefined || this.#hasLostLocks) await this.#relock();
    if (this.#fault !== undefined) throw this.#fault;
  }

  async quiesce(): Promise<void> {
    if (this.#thread !== undefined) await this.#thread.close();
  }

  get onlyReads(): boolean {
    return this.#tables.now.connection.isReadOnly;
  }

  closeConnection(): void {
    this.#detectMove();
    this.#fault ??= new StoreFault("STORE_IO", "the store: its locks were lost, and it could not be opened again");
    this.#files?.close();
    this.#files = undefined;
    this.#tables.closeConnection();
  }

  /** If the file no longer exists, this does not create a new one. */
  relock(): void {
    if (this.#fault?.code === "STORE_MOVED") return;
    const file = this.onlyReads ? undefined : this.#parts.file;
    if (file !== undefined) refuseForeignLog(file);
    this.#tables.renew();
    if (file !== undefined) recordLog(file);
    this.#files = this.#parts.openFiles?.();
    this.#fault = undefined;
  }

  /**
   * If a follower has lost its locks, the owner may legitimately remove the log. The follower then continues with the
   * next log.
   */
  #detectMove(): void {
    const isFollower = this.#mustLockToRead;
    try {
      this.#checkFilesWith((files) => (isFollower ? files.checkDatabase() : files.check()));
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
    }
  }

  #checkFilesWith(check: (files: StoreFiles) => void): void {
    try {
      if (this.#files !== undefined) check(this.#files);
    } catch (error) {
      const fault = toSystemFault(error);
      if (fault instanceof StoreFault && fault.code === "STORE_MOVED") this.#onMoved(fault);
      throw fault;
    }
  }

  /** Other processes wait until this one has closed the old log (U3). If that fails, they report it. */
  #onMoved(fault: StoreFault): void {
    const close = async (): Promise<void> => this.quiesce().then(() => this.closeConnection());
    if (this.#fault?.code !== "STORE_MOVED") close().catch(() => undefined);
    this.#fault = fault;
  }

  /** Whether a copy of the file dropped locks of this process. */
  get #hasLostLocks(): boolean {
    const isUsed = this.#fault === undefined && this.#closed === undefined && this.#parts.file !== undefined;
    return isUsed && this.#files?.isLocked === false;
  }

  /** An owner checks at polls and commits: no process of Segno truncates its shared memory (`lost-locks.ts`). */
  get #mustLockToRead(): boolean {
    return this.#parts.removesLog?.() === false && this.#hasLostLocks;
  }

  async #relock(): Promise<void> {
    if (this.#parts.file !== undefined) await lockAgain(this.#parts.file);
  }

  /** Tries several times, because further copies may drop the locks again. */
  async #takeLocks(): Promise<void> {
    for (let tries = 0; tries < LOCK_TRIES && this.#hasLostLocks; tries++) await this.#relock();
    if (this.#hasLostLocks) throw new StoreFault("STORE_IO", "the store: this process cannot keep its locks on it");
  }

  async #read<Result>(work: (tables: StoreTables) => Result): Promise<Result> {
    if (this.#mustLockToRead) await this.#takeLocks();
    this.#checkOpen();
    return this.#tables.read(work);
  }

  /** Checks files and locks as a post does: any process may write documents, also one that owns nothing (J3). */
  async #writeDocument(request: DocumentWrite): Promise<boolean> {
    if (this.#hasLostLocks) await this.#takeLocks();
    this.#checkOpen();
    this.#checkFilesWith((files) => files.checkLog());
    const hasEffect =
      this.#thread === undefined
        ? this.#tables.write(({ documents }) => documents.write(request))
        : await this.#thread.write(request);
    this.#checkFilesWith((files) => files.checkLog());
    this.#files?.checkLocks();
    return hasEffect;
  }

  #commitHere(batch: CommitBatch): void {
    this.#tables.write(({ inbox, writer }) => {
      if (batch.consumedMessages.length > 0) inbox.touch();
      writer.commit(batch);
    });
  }

  /**
   * The thread closes first: rows are checkpointed when no other writer adds blocks, and SQLite removes its log with
   * the last connection.
   */
  async #close(): Promise<void> {
    if (this.#thread !== undefined) await this.#thread.close();
    if (this.#parts.file !== undefined) leaveLockGroup(this.#parts.file, this);
    this.#detectMove();
    if (this.#fault === undefined) this.#tables.now.writer.tryCheckpoint();
    this.#files?.close();
    this.#files = undefined;
    const keepsLog = this.#fault !== undefined || this.#parts.removesLog?.() === false;
    this.#tables.closeConnection({ keepsLog });
  }

  #checkOpen(): void {
    if (this.#closed !== undefined)
      throw new StoreFault("STORE_CLOSED", "the store was closed; open it again to use it");
    if (this.#fault !== undefined) throw this.#fault;
  }
}

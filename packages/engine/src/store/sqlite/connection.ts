// A connection to a SQLite file. Every error becomes a fault with a code, and transactions are atomic.
//
//   Q1. A file that is not a Segno store is refused before anything is written to it. An empty file is refused, too: a
//       new store gets its name only when it is complete (`new-store.ts`), so a file without tables is left over from a
//       failure.
//   Q2. A transaction that fails is rolled back, and the connection stays usable.
//   Q3. With `full` a commit has reached the disk when it returns. With `relaxed` a power failure may lose the last
//       commits; a crash of the process never does, and a commit is never lost in part. Relaxed writes reach the disk
//       with the next full commit, because the write-ahead log has one order.
//   Q4. SQLite removes the log when it believes that the last connection closes. It concludes that from the locks of
//       other processes, and a process can lose its locks silently (`posix-locks.ts`). A guarded connection can
//       therefore be closed without removing the log: a second, read-only connection is closed after it, and a
//       read-only connection removes nothing.

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import type { StatementSync } from "node:sqlite";
import { StoreFault } from "../store-fault.ts";
import { countNames } from "../whole-file.ts";
import { closeAtExit, forgetClosed } from "./left-open.ts";
import { confirmOneLog, requireOneLog, withSameLog } from "./log-use.ts";
import { awaitOwnersLocks } from "./lost-locks.ts";
import { isNameTaken, refuseUnlessPlain } from "./plain-file.ts";
import { openReadOnly } from "./read-only-file.ts";
import { toStoreFault, isBusy } from "./sqlite-fault.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

export type Durability = "full" | "relaxed";

export interface ConnectionOptions {
  readonly durability?: Durability;
  readonly readOnly?: boolean;
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs?: number;
  /** The maximum size of the file. A write beyond it fails with `STORE_FULL`. */
  readonly sizeMaxBytes?: number;
  /** Whether the connection can be closed without removing the log (Q4). */
  readonly isGuarded?: boolean;
  /** The file is empty and becomes a store. */
  readonly isNew?: boolean;
}

/** "Sgno": the application id that marks a Segno store. */
export const APPLICATION_ID = 0x53676e6f;

const BUSY_TIMEOUT_MS = 5000;
/** Measured: the writes of one step fit into half of SQLite's default page, and an empty store is half as large. */
const PAGE_BYTES = 2048;
/**
 * 4 MB. A checkpoint copies each page once, however often it was written, so rare checkpoints are cheaper. But a sync
 * of a growing log costs a third more than a sync of a log that is overwritten, so the log should restart soon.
 */
const CHECKPOINT_PAGES = (4 * 1024 * 1024) / PAGE_BYTES;

/**
 * SQLite truncates the log to this size when it restarts. The size must exceed what a checkpoint leaves, or the log
 * grows each time.
 */
const LOG_BYTES_MAX = 2 * CHECKPOINT_PAGES * PAGE_BYTES;

const SYNC: Readonly<Record<Durability, string>> = {
  full: "PRAGMA synchronous = FULL",
  relaxed: "PRAGMA synchronous = NORMAL",
};

const WAL_RETRIES = 50;
const WAL_RETRY_MS = 20;

export class SqliteConnection {
  readonly database: DatabaseSync;
  readonly isReadOnly: boolean;
  readonly #guard: DatabaseSync | undefined;
  readonly #durability: Durability;
  readonly #begin: StatementSync;
  readonly #beginReading: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  #isFrozen = false;

  constructor(database: DatabaseSync, isReadOnly: boolean, durability: Durability = "full", guard?: DatabaseSync) {
    this.database = database;
    this.#guard = guard;
    if (guard !== undefined) closeAtExit(this);
    this.isReadOnly = isReadOnly;
    this.#durability = durability;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#beginReading = database.prepare("BEGIN");
    this.#commit = database.prepare("COMMIT");
    this.#rollback = database.prepare("ROLLBACK");
  }

  prepare(sql: string): StatementSync {
    return this.run(() => this.database.prepare(sql));
  }

  execute(sql: string): void {
    this.run(() => this.database.exec(sql));
  }

  /** Runs `work` and converts SQLite errors into store faults. */
  run<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  /** Runs one write that need not reach the disk, as with `relaxed` (Q3). */
  runRelaxed<Result>(work: () => Result): Result {
    if (this.#durability === "relaxed") return this.run(work);
    this.execute(SYNC.relaxed);
    try {
      return this.run(work);
    } finally {
      this.execute(SYNC.full);
    }
  }

  /** Runs `work` in a transaction. */
  transact<Result>(work: () => Result): Result {
    return this.#transact(this.#begin, work);
  }

  /** Runs several reads in one committed state (K5). */
  snapshot<Result>(work: () => Result): Result {
    return this.#isFrozen ? this.run(work) : this.#transact(this.#beginReading, work);
  }

  /** From now on all reads see the state that is committed now. */
  freeze(): void {
    this.run(() => {
      this.#beginReading.run();
      // SQLite fixes the snapshot at the first read.
      this.database.prepare("SELECT count(*) FROM sqlite_schema").get();
    });
    this.#isFrozen = true;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Removes the log if this is the last connection. With `keepsLog` a guarded connection never removes it (Q4). */
  close({ keepsLog = false }: { readonly keepsLog?: boolean } = {}): void {
    if (!keepsLog) closeOpen(this.#guard);
    closeOpen(this.database);
    closeOpen(this.#guard);
    forgetClosed(this);
  }

  #transact<Result>(begin: StatementSync, work: () => Result): Result {
    try {
      begin.run();
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      this.#rollBack();
      throw toStoreFault(error);
    }
  }

  /** SQLite may already have rolled back by itself. Only the first error counts. */
  #rollBack(): void {
    try {
      if (this.database.isTransaction) this.#rollback.run();
    } catch {
      // If the rollback fails as well, the connection is reopened (`sqlite-tables.ts`).
    }
  }
}

function closeOpen(database: DatabaseSync | undefined): void {
  if (database?.isOpen === true) database.close();
}

export function openConnection(file: string, options: ConnectionOptions = {}): SqliteConnection {
  return withSameLog(() => (options.readOnly === true ? openToRead(file, options) : openToWrite(file, options)));
}

function openToRead(file: string, { busyTimeoutMs = BUSY_TIMEOUT_MS }: ConnectionOptions): SqliteConnection {
  try {
    checkFile(file, true);
    refuseLinks(file);
    const path = realpathSync(file);
    refusePlanted(path);
    const use = requireOneLog(path, "read");
    const check = (database: DatabaseSync): void => (identify(database, file), confirmOneLog(path, use));
    return new SqliteConnection(openReadOnly(file, busyTimeoutMs, check), true);
  } catch (error) {
    throw toStoreFault(error);
  }
}

function openToWrite(file: string, options: ConnectionOptions): SqliteConnection {
  let [guard, database]: (DatabaseSync | undefined)[] = [];
  try {
    checkFile(file, false);
    refuseLinks(file);
    const path = realpathSync(file);
    refusePlanted(path);
    requireOwnersLocks(file);
    const use = requireOneLog(path, "write");
    database = openDatabase(file, { timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS });
    if (options.isNew !== true) identify(database, file);
    setPragmas(database, options);
    if (options.isGuarded === true) identify((guard = openDatabase(file, { readOnly: true })), file);
    confirmOneLog(path, use);
    return new SqliteConnection(database, false, options.durability, guard);
  } catch (error) {
    if (options.isGuarded === true) guard ??= tryGuard(database, file);
    closeOpen(database);
    closeOpen(guard);
    throw toStoreFault(error);
  }
}

/** A connection that failed may be the last one, and must not write back a log that it could not read (Q4). */
function tryGuard(database: DatabaseSync | undefined, file: string): DatabaseSync | undefined {
  let guard: DatabaseSync | undefined;
  try {
    if (database !== undefined) guard = openDatabase(file, { readOnly: true });
    guard?.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch {
    // A connection that fails at a damaged page has its lock on the file by then.
  }
  return guard;
}

/**
 * SQLite would create a missing file. It would silently open a write-protected file for reading, for as long as the
 * connection lives.
 */
function checkFile(file: string, isReadOnly: boolean): void {
  if (isReadOnly) return;
  statSync(file);
  try {
    accessSync(file, constants.W_OK);
  } catch (error) {
    throw new StoreFault("STORE_READ_ONLY", `${file} cannot be written to`, { cause: error });
  }
}

/** Opening the file would truncate the shared memory that the owner uses, and SIGBUS would kill the owner. */
function requireOwnersLocks(file: string): void {
  if (awaitOwnersLocks(file, "write")) return;
  throw new StoreFault("STORE_BUSY", `${file}: its owner has lost its locks and has not locked it again; try again`);
}

/**
 * SQLite names its log after the path of the file. A process that opens the file by another path does not see the log.
 */
function refuseLinks(file: string): void {
  if (!statSync(file).isFile()) throw new StoreFault("STORE_CORRUPT", `${file} is not a file; remove it`);
  const names = countNames(realpathSync(file));
  if (names > 1)
    throw new StoreFault("STORE_LINKED", `${file} has ${names} names (hard links); a store must have one name only`);
}

/**
 * SQLite applies a rollback journal to the database beside it. A store is in WAL mode from the moment that it has its
 * name, so no Segno process creates one.
 */
function refusePlanted(file: string): void {
  if (isNameTaken(`${file}-journal`))
    throw new StoreFault("STORE_FOREIGN", `${file}-journal was put there by another program; remove it`);
  for (const suffix of ["-wal", "-shm"]) refuseUnlessPlain(`${file}${suffix}`);
}

/** Virtual tables have no root page. They run SQLite code over rows that an attacker may have written. */
const SELECT_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0";

function identify(database: DatabaseSync, file: string): void {
  const { application_id: id } = database.prepare("PRAGMA application_id").get() as { application_id: number };
  const tables = database.prepare(SELECT_TABLES).all();
  if (id === APPLICATION_ID && tables.some(({ name }) => name === "meta")) return checkLength(database, file);
  const problem = tables.length === 0 ? "is empty or an unfinished copy" : "is another database";
  throw new StoreFault("STORE_CORRUPT", `${file} ${problem}, and not a store; remove it or restore a backup`);
}

/** SQLite reads zeros if the last page was cut off. If there is a write-ahead log, the page may be in the log. */
function checkLength(database: DatabaseSync, file: string): void {
  const { page_size: pageBytes } = database.prepare("PRAGMA page_size").get() as { page_size: number };
  if (statSync(file).size % pageBytes === 0) return;
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  throw new StoreFault("STORE_CORRUPT", `${file} ends within a page: it was truncated; restore a backup`);
}

function setPragmas(database: DatabaseSync, { durability = "full", sizeMaxBytes }: ConnectionOptions): void {
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  enterWal(database);
  database.exec(SYNC[durability]);
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`);
  if (sizeMaxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.floor(sizeMaxBytes / PAGE_BYTES)}`);
}

/**
 * Two processes that open a new file at once may both switch it to WAL mode, and SQLite does not wait for that by
 * itself.
 */
function enterWal(database: DatabaseSync): void {
  for (let tries = 1; ; tries++) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      const fault = toStoreFault(error);
      if (!isBusy(fault) || tries === WAL_RETRIES) throw fault;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_MS);
    }
  }
}

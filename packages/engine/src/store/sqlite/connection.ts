// A connection to a SQLite file: opened with care, every error a fault with a code, transactions all or nothing.
//
//   Q1. A file that is not a store of Segno is refused before anything is written to it, an empty one too: a store is given
//       its name when it is whole (`new-store.ts`), so a file without tables is the rest of something that failed.
//   Q2. A transaction that fails is rolled back, and the connection can be used again.
//   Q3. With `full` a commit has reached the disk when it returns; `relaxed` may lose the last commits when the power
//       fails, but never when the process dies, and never leaves a part of one. What is written relaxed has reached the
//       disk with the next full commit: the log of writes has one order.
//   Q4. SQLite removes the log when it takes a connection for the last one. It takes it so by the locks of others, which a
//       process may have lost without a word (`posix-locks.ts`). A guarded connection can be closed without that: a second
//       one, which only reads, is closed after it, and who only reads may not remove anything.

import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import type { StatementSync } from "node:sqlite";
import { StoreFault } from "../store-fault.ts";
import { countNames } from "../whole-file.ts";
import { closeAtExit, forgetClosed } from "./left-open.ts";
import { awaitOwnersLocks } from "./lost-locks.ts";
import { openReadOnly } from "./read-only-file.ts";
import { toStoreFault, isBusy } from "./sqlite-fault.ts";
import { openDatabase, type DatabaseSync } from "./sqlite-module.ts";

export type Durability = "full" | "relaxed";

export interface ConnectionOptions {
  readonly durability?: Durability;
  readonly readOnly?: boolean;
  /** How long to wait for another process that is writing. */
  readonly busyTimeoutMs?: number;
  /** What the file may grow to; beyond it writing fails with `STORE_FULL`. */
  readonly sizeMaxBytes?: number;
  /** Whether it can be closed without removing the log (Q4). */
  readonly isGuarded?: boolean;
  /** The file is empty, and is made a store. */
  readonly isNew?: boolean;
}

/** "Sgno": how a file says whose it is. */
export const APPLICATION_ID = 0x53676e6f;

const BUSY_TIMEOUT_MS = 5000;
/** Measured: what a step writes fits into half of SQLite's usual page, and an empty store is half as large. */
const PAGE_BYTES = 2048;
/**
 * 4 MB. Checkpoints copy each page once, however often it was written, so rare ones are cheaper; but a sync of a log that
 * still grows costs a third more than one of a log that is written over, so it should begin anew soon.
 */
const CHECKPOINT_PAGES = (4 * 1024 * 1024) / PAGE_BYTES;

/** What is cut off the log when it begins anew. It must exceed what a checkpoint leaves, or the log grows each time. */
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

  /** Does something with the database and turns what SQLite throws into a fault. */
  run<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  /** One write that need not have reached the disk, as with `relaxed` (Q3). */
  runRelaxed<Result>(work: () => Result): Result {
    if (this.#durability === "relaxed") return this.run(work);
    this.execute(SYNC.relaxed);
    try {
      return this.run(work);
    } finally {
      this.execute(SYNC.full);
    }
  }

  /** Writes all or nothing. */
  transact<Result>(work: () => Result): Result {
    return this.#within(this.#begin, work);
  }

  /** Reads several times from one committed state (K5). */
  snapshot<Result>(work: () => Result): Result {
    return this.#isFrozen ? this.run(work) : this.#within(this.#beginReading, work);
  }

  /** From now on everything is read from one committed state, the one that is there now. */
  freeze(): void {
    this.run(() => {
      this.#beginReading.run();
      // SQLite takes the state that it finds at the first read.
      this.database.prepare("SELECT count(*) FROM sqlite_schema").get();
    });
    this.#isFrozen = true;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Removes the log where this is the last connection; with `keepsLog` a guarded one never does (Q4). */
  close({ keepsLog = false }: { readonly keepsLog?: boolean } = {}): void {
    if (!keepsLog) closeOpen(this.#guard);
    closeOpen(this.database);
    closeOpen(this.#guard);
    forgetClosed(this);
  }

  #within<Result>(begin: StatementSync, work: () => Result): Result {
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

  /** SQLite has rolled back already where it could not go on. The first error is the one that counts. */
  #rollBack(): void {
    try {
      if (this.database.isTransaction) this.#rollback.run();
    } catch {
      // Whoever fails at this as well is opened anew (`sqlite-tables.ts`).
    }
  }
}

function closeOpen(database: DatabaseSync | undefined): void {
  if (database?.isOpen === true) database.close();
}

export function openConnection(file: string, options: ConnectionOptions = {}): SqliteConnection {
  return options.readOnly === true ? openToRead(file, options) : openToWrite(file, options);
}

function openToRead(file: string, { busyTimeoutMs = BUSY_TIMEOUT_MS }: ConnectionOptions): SqliteConnection {
  try {
    checkFile(file, true);
    refuseLinks(file);
    refuseRollback(file);
    return new SqliteConnection(openReadOnly(file, busyTimeoutMs, identify), true);
  } catch (error) {
    throw toStoreFault(error);
  }
}

function openToWrite(file: string, options: ConnectionOptions): SqliteConnection {
  let [guard, database]: (DatabaseSync | undefined)[] = [];
  try {
    checkFile(file, false);
    refuseLinks(file);
    refuseRollback(file);
    requireOwnersLocks(file);
    database = openDatabase(file, { timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS });
    if (options.isNew !== true) identify(database, file);
    tune(database, options);
    if (options.isGuarded === true) identify((guard = openDatabase(file, { readOnly: true })), file);
    return new SqliteConnection(database, false, options.durability, guard);
  } catch (error) {
    closeOpen(database);
    closeOpen(guard);
    throw toStoreFault(error);
  }
}

/**
 * SQLite would make a file that is not there, and would open one that cannot be written for reading, without a word and for
 * as long as it is open.
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

/** Opening the file would empty the shared memory that the owner uses, and the owner would be killed by SIGBUS. */
function requireOwnersLocks(file: string): void {
  if (awaitOwnersLocks(file, "write")) return;
  throw new StoreFault("STORE_BUSY", `${file}: its owner has lost its locks and has not taken them again; try again`);
}

/** SQLite's log is named after the name of the file, so whoever opens it under another name misses what is in the log. */
function refuseLinks(file: string): void {
  if (!statSync(file).isFile()) throw new StoreFault("STORE_CORRUPT", `${file} is not a file; remove it`);
  const names = countNames(realpathSync(file));
  if (names > 1)
    throw new StoreFault("STORE_LINKED", `${file} has ${names} names (hard links); a store must have one name only`);
}

/**
 * SQLite rolls such a file into the database that it lies beside. A store is in WAL mode from the moment that it has its name, so
 * no process of Segno has made it.
 */
function refuseRollback(file: string): void {
  if (!existsSync(`${file}-journal`)) return;
  throw new StoreFault("STORE_FOREIGN", `${file}-journal was put there by another program; remove it`);
}

/** Virtual tables have no page. They run code of SQLite over rows that a stranger may have written. */
const SELECT_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0";

function identify(database: DatabaseSync, file: string): void {
  const { application_id: id } = database.prepare("PRAGMA application_id").get() as { application_id: number };
  const tables = database.prepare(SELECT_TABLES).all();
  if (id === APPLICATION_ID && tables.some(({ name }) => name === "meta")) return checkLength(database, file);
  const what = tables.length === 0 ? "is empty, or the rest of a copy that was not finished" : "is another database";
  throw new StoreFault("STORE_CORRUPT", `${file} ${what}, and not a store; remove it or restore a backup`);
}

/** SQLite reads zeros where the last page was cut. While there is a log of writes, the page may be in that. */
function checkLength(database: DatabaseSync, file: string): void {
  const { page_size: pageBytes } = database.prepare("PRAGMA page_size").get() as { page_size: number };
  if (statSync(file).size % pageBytes === 0) return;
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  throw new StoreFault("STORE_CORRUPT", `${file} ends within a page: it was cut; restore a backup`);
}

function tune(database: DatabaseSync, { durability = "full", sizeMaxBytes }: ConnectionOptions): void {
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  enterWal(database);
  database.exec(SYNC[durability]);
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`);
  if (sizeMaxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.floor(sizeMaxBytes / PAGE_BYTES)}`);
}

/** Two processes that open a new file at once may both want to turn it; SQLite does not wait for that by itself. */
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

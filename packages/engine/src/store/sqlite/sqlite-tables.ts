// The tables of a SQLite file behind one connection, which is reopened after a read fails.
//
// Its purpose is to distinguish read faults from damaged data. SQLite reports EIO as damage, and caches a page that it
// read badly. So neither its error code nor the same connection can be trusted (`isReadFault`).
//
//   R1. A failed read is retried once over a new connection. If it fails again, it is a fault of the store, which the
//       engine retries later. It never means that an execution is damaged (JOURNAL-6).
//   R2. A failed write is not retried here, because the caller must read first (K4). The next write uses a new
//       connection.
//   R3. A file that keeps failing is reopened at most ten times a second.
//   R4. The fault is `STORE_CORRUPT` if SQLite's own check finds damage. It is `STORE_IO` if the check finds none, if
//       the check itself could not read, or if the file is too large to check here.

import type { Codec } from "../codec.ts";
import { StoreFault } from "../store-fault.ts";
import type { SqliteConnection } from "./connection.ts";
import { DocumentRows } from "./document-rows.ts";
import { ExecutionReader } from "./execution-reader.ts";
import { Housekeeping } from "./housekeeping.ts";
import { InboxTable } from "./inbox-table.ts";
import { JournalWriter } from "./journal-writer.ts";
import { LogTable } from "./log-table.ts";
import { checkPages } from "./page-check.ts";
import { ProcessRows } from "./process-rows.ts";
import { isReadFault } from "./sqlite-fault.ts";
import { JournalTail } from "./journal-tail.ts";

export interface StoreTables {
  readonly connection: SqliteConnection;
  readonly reader: ExecutionReader;
  readonly writer: JournalWriter;
  readonly inbox: InboxTable;
  readonly housekeeping: Housekeeping;
  readonly logs: LogTable;
  readonly processes: ProcessRows;
  readonly documents: DocumentRows;
}

export interface TablesOptions {
  readonly codec: Codec;
  /** Opens the same file again. Without it the connection is never replaced. */
  readonly open?: (() => SqliteConnection) | undefined;
  readonly monotonicMs?: () => number;
}

const REOPEN_AFTER_MS = 100;
const CHECK_AFTER_MS = 60_000;
/** Reading this much takes about a tenth of a second. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024;

export class SqliteTables {
  readonly #options: TablesOptions;
  readonly #monotonicMs: () => number;
  #tables: StoreTables;
  #reopenedAtMs = Number.NEGATIVE_INFINITY;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  /** The result of the last check. */
  #damage: string | undefined;

  constructor(connection: SqliteConnection, options: TablesOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#tables = openTables(connection, options.codec);
  }

  get now(): StoreTables {
    return this.#tables;
  }

  read<Result>(work: (tables: StoreTables) => Result): Result {
    try {
      return work(this.#tables);
    } catch (error) {
      if (!isReadFault(error)) throw error;
      if (!this.#reopenNow()) throw this.#toFault(error);
    }
    try {
      return work(this.#tables);
    } catch (error) {
      throw isReadFault(error) ? this.#toFault(error) : error;
    }
  }

  write<Result>(work: (tables: StoreTables) => Result): Result {
    try {
      return work(this.#tables);
    } catch (error) {
      if (!isReadFault(error)) throw error;
      this.#reopenNow();
      throw this.#toFault(error);
    }
  }

  /** Drops all of SQLite's caches. */
  reopen(): void {
    const { open, codec } = this.#options;
    if (open === undefined) return;
    const tables = openTables(open(), codec);
    const before = this.#tables.connection;
    this.#tables = tables;
    closeQuietly(before);
  }

  /**
   * Closes the connection until `renew` opens another. SQLite takes its locks with the first connection of a process.
   */
  closeConnection(options: { readonly keepsLog: boolean } = { keepsLog: true }): void {
    const { connection } = this.#tables;
    connection.run(() => connection.close(options));
  }

  renew(): void {
    const { open, codec } = this.#options;
    if (open !== undefined) this.#tables = openTables(open(), codec);
  }

  /** False if it was reopened a moment ago, or if it cannot be opened. */
  #reopenNow(): boolean {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#reopenedAtMs < REOPEN_AFTER_MS) return false;
    this.#reopenedAtMs = nowMs;
    try {
      this.reopen();
      return true;
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      return false;
    }
  }

  #toFault(error: unknown): StoreFault {
    const { message } = error as Error;
    this.#check();
    if (this.#damage === undefined) return new StoreFault("STORE_IO", message, { cause: error });
    return new StoreFault("STORE_CORRUPT", `${message}; a check of the file finds: ${this.#damage}`, { cause: error });
  }

  #check(): void {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#checkedAtMs < CHECK_AFTER_MS) return;
    this.#checkedAtMs = nowMs;
    this.#damage = findFileDamage(this.#tables.connection);
  }
}

function openTables(connection: SqliteConnection, codec: Codec): StoreTables {
  try {
    const tail = new JournalTail(connection);
    const writer = new JournalWriter(connection, codec, tail);
    return {
      connection,
      writer,
      reader: new ExecutionReader(connection, codec, tail, (...loaded) => writer.cacheHead(...loaded)),
      inbox: new InboxTable(connection, codec),
      housekeeping: new Housekeeping(connection, writer, codec, tail),
      logs: new LogTable(connection),
      processes: new ProcessRows(connection),
      documents: new DocumentRows(connection),
    };
  } catch (error) {
    closeQuietly(connection);
    throw error;
  }
}

/** Undefined if the check itself cannot read, because then nothing is known. */
function findFileDamage({ database }: SqliteConnection): string | undefined {
  try {
    const [pages, bytes] = ["page_count", "page_size"].map((name) => Number(readPragma(database, name)));
    if (pages! * bytes! > CHECKED_BYTES_MAX) return undefined;
    return checkPages(database, "quick_check(1)")[0];
  } catch {
    return undefined;
  }
}

function readPragma(database: SqliteConnection["database"], pragma: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

/** A log that could not be read must not be written back (Q4). */
function closeQuietly(connection: SqliteConnection): void {
  try {
    connection.close({ keepsLog: true });
  } catch {
    // The connection is not used any more.
  }
}

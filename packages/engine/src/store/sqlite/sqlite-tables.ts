// The tables of a SQLite file behind one connection, which is opened anew when SQLite fails at reading.
//
// Job: telling a fault of reading from what is stored. SQLite reports EIO as damage, and keeps a page that it read badly, so
// neither its word nor the same connection can be trusted (`isReadFault`).
//
//   R1. A read that fails so is tried once more over a new connection. What fails then is a fault of the store, which is
//       tried again later; it never says that an execution is damaged (JOURNAL-6).
//   R2. A write that fails so is not tried again here: whoever gets the fault reads first (K4). The next one has a new
//       connection.
//   R3. A file that fails all the time is not opened all the time: ten times a second at most.
//   R4. The fault is `STORE_CORRUPT` where SQLite's own check finds damage, and `STORE_IO` where it finds none, or where
//       the file is too large to be checked by the way.

import type { Codec } from "../codec.ts";
import { StoreFault } from "../store-fault.ts";
import type { SqliteConnection } from "./connection.ts";
import { ExecutionReader } from "./execution-reader.ts";
import { Housekeeping } from "./housekeeping.ts";
import { InboxTable } from "./inbox-table.ts";
import { JournalWriter } from "./journal-writer.ts";
import { LogTable } from "./log-table.ts";
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
}

export interface TablesOptions {
  readonly codec: Codec;
  /** Opens the same file again; without it a connection is never replaced. */
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
  /** What the last check found. */
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

  /** Lets go of everything that SQLite has cached. */
  reopen(): void {
    const { open, codec } = this.#options;
    if (open === undefined) return;
    const tables = openTables(open(), codec);
    const before = this.#tables.connection;
    this.#tables = tables;
    closeQuietly(before);
  }

  /** Closes the connection, until `renew` opens another: SQLite takes its locks with the first one of a process. */
  shut(): void {
    this.#tables.connection.close({ keepsLog: true });
  }

  renew(): void {
    const { open, codec } = this.#options;
    if (open !== undefined) this.#tables = openTables(open(), codec);
  }

  /** False when it was opened a moment ago, or cannot be opened. */
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
      reader: new ExecutionReader(connection, codec, tail, (...loaded) => writer.know(...loaded)),
      inbox: new InboxTable(connection, codec),
      housekeeping: new Housekeeping(connection, writer, codec, tail),
      logs: new LogTable(connection),
      processes: new ProcessRows(connection),
    };
  } catch (error) {
    closeQuietly(connection);
    throw error;
  }
}

/** Nothing where the check itself cannot read: then nothing is known. */
function findFileDamage({ database }: SqliteConnection): string | undefined {
  try {
    const [pages, bytes] = ["page_count", "page_size"].map((name) => Number(readPragma(database, name)));
    if (pages! * bytes! > CHECKED_BYTES_MAX) return undefined;
    const found = String(readPragma(database, "quick_check(1)"));
    return found === "ok" ? undefined : found;
  } catch {
    return undefined;
  }
}

function readPragma(database: SqliteConnection["database"], pragma: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

/** SQLite writes its log back when the last connection closes, and may fail at that as well: the log stays then. */
function closeQuietly(connection: SqliteConnection): void {
  try {
    connection.close();
  } catch {
    // It is not used any more.
  }
}

// The table of processes (`process-records.ts`).

import type { StatementSync } from "node:sqlite";
import type { ProcessEntry } from "../process-records.ts";
import type { SqliteConnection } from "./connection.ts";
import { readRows } from "./row-reading.ts";

const NOTE = "INSERT OR REPLACE INTO processes (marker, pid, start_time) VALUES (?, ?, ?)";
const FORGET = "DELETE FROM processes WHERE marker = ?";
const SELECT_ALL = "SELECT marker, pid, start_time AS startTime FROM processes ORDER BY marker";

export class ProcessRows {
  readonly #connection: SqliteConnection;
  readonly #note: StatementSync;
  readonly #forget: StatementSync;
  readonly #selectAll: StatementSync;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#note = connection.prepare(NOTE);
    this.#forget = connection.prepare(FORGET);
    this.#selectAll = connection.prepare(SELECT_ALL);
  }

  /** Does not wait for the disk, because a power failure ends the process as well (N1). */
  add({ marker, pid, startTime }: ProcessEntry): void {
    this.#connection.runRelaxed(() => this.#note.run(marker, pid, startTime));
  }

  forget(marker: string): void {
    this.#connection.runRelaxed(() => this.#forget.run(marker));
  }

  all(): ProcessEntry[] {
    const rows = this.#connection.run(() => readRows(this.#selectAll)) as unknown as ProcessEntry[];
    return rows.filter(isEntry).map(({ marker, pid, startTime }) => ({ marker, pid, startTime }));
  }
}

/** The file is untrusted: a row with other types was not written by Segno and names no process. */
function isEntry({ marker, pid, startTime }: Readonly<Record<keyof ProcessEntry, unknown>>): boolean {
  return typeof marker === "string" && Number.isSafeInteger(pid) && typeof startTime === "string";
}

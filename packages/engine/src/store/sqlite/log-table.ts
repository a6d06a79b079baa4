// The table of step logs, with many lines per row (`log-rows.ts`).
//
//   L1. Each append is its own transaction, so a log that cannot be stored affects no other write.
//   L2. Lines are numbered across all executions, and the id of a row is the number of its last line. So a reader finds
//       the lines after a given one by id alone, and an append counts nothing.
//   L3. Log writes do not touch the journal, so journal writers are independent of logs (W1, W2).
//   L4. The row of an execution says whether it has logs or progress, so that the removal of old logs skips executions
//       without them.
//   L5. A step has one row of progress, which is removed with the logs.

import type { StatementSync } from "node:sqlite";
import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { Codec } from "../codec.ts";
import { linesIn, type LogRows, type StoredRow } from "../log-rows.ts";
import type { LogRequest, StoredLine } from "../step-logs.ts";
import { decodeProgress, type ProgressRow, type StepProgress } from "../step-progress.ts";
import type { SqliteConnection } from "./connection.ts";
import { ID_MAX, readRow } from "./row-reading.ts";

const SELECT_KEY = "SELECT key FROM executions WHERE id = ?";
/** Another program may have changed the number that SQLite keeps for the table. */
const SELECT_LAST = `
SELECT max(
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'step_logs' AND typeof(seq) = 'integer' AND seq <= ${ID_MAX}), 0),
  coalesce((SELECT max(id) FROM step_logs WHERE id <= ${ID_MAX}), 0)
) AS last`;
const INSERT_ROW = "INSERT INTO step_logs (id, execution, count, step, body) VALUES (?, ?, ?, ?, ?)";

export const SELECT_ROWS: string = `
SELECT id AS last, count, step, body FROM step_logs
WHERE execution = (SELECT key FROM executions WHERE id = ?1) AND id > ?2 AND id <= ${ID_MAX} AND (?3 IS NULL
  OR step IS NULL OR step = ?3)
ORDER BY id`;

/** L5. */
const PUT_PROGRESS = "INSERT OR REPLACE INTO step_progress (execution, step, body) VALUES (?, ?, ?)";
const SELECT_PROGRESS = `
SELECT step, body FROM step_progress WHERE execution = (SELECT key FROM executions WHERE id = ?) ORDER BY step`;

/** L4. */
const NOTE_LOGS = "UPDATE executions SET has_logs = 1 WHERE key = ? AND has_logs = 0";
export const FORGET_LOGS = "UPDATE executions SET has_logs = 0 WHERE key = ?";

export const SELECT_OLD: string = `
SELECT key FROM executions INDEXED BY executions_with_logs
WHERE has_logs = 1 AND status IN ('completed', 'failed', 'cancelled') AND updated_at < ? AND key <= ${ID_MAX}
ORDER BY updated_at, key LIMIT ?`;

export const DELETE_LOGS = "DELETE FROM step_logs WHERE execution = ?";
export const DELETE_PROGRESS = "DELETE FROM step_progress WHERE execution = ?";

/** SQLite treats a negative limit as no limit. */
export const UNLIMITED = -1;

export class LogTable {
  readonly #connection: SqliteConnection;
  readonly #selectKey: StatementSync;
  readonly #selectLast: StatementSync;
  readonly #insertRow: StatementSync;
  readonly #noteLogs: StatementSync;
  readonly #selectRows: StatementSync;
  readonly #putProgress: StatementSync;
  readonly #selectProgress: StatementSync;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#selectKey = connection.prepare(SELECT_KEY);
    this.#selectLast = connection.prepare(SELECT_LAST);
    this.#insertRow = connection.prepare(INSERT_ROW);
    this.#noteLogs = connection.prepare(NOTE_LOGS);
    this.#selectRows = connection.prepare(SELECT_ROWS);
    this.#putProgress = connection.prepare(PUT_PROGRESS);
    this.#selectProgress = connection.prepare(SELECT_PROGRESS);
  }

  append(logs: readonly LogRows[]): void {
    if (logs.every(({ rows, progress }) => rows.length + progress.length === 0)) return;
    this.#connection.transact(() => {
      let last = this.#last();
      for (const { execution, rows, progress } of logs) {
        const key = this.#selectExecutionKey(execution);
        if (key === undefined) continue;
        this.#noteLogs.run(key);
        for (const { count, step, body } of rows) this.#insertRow.run((last += count), key, count, step, body);
        for (const { step, body } of progress) this.#putProgress.run(key, step, body);
      }
    });
  }

  read(request: LogRequest, codec: Codec): StoredLine[] {
    const { execution, step = null, after = 0 } = request;
    return this.#connection.run(() => {
      const rows = this.#selectRows.iterate(execution, after, step);
      return linesIn(rows as Iterable<unknown> as Iterable<StoredRow>, request, codec);
    });
  }

  readProgress(execution: ExecutionId, codec: Codec): readonly StepProgress[] {
    return this.#connection.run(() => {
      const rows = this.#selectProgress.iterate(execution);
      return decodeProgress(rows as Iterable<unknown> as Iterable<ProgressRow>, codec);
    });
  }

  /** Removes the logs of executions that ended before the given time. Returns the number of those executions. */
  removeOld(before: EpochMs, limit: number = UNLIMITED): number {
    return this.#connection.transact(() => {
      const { database } = this.#connection;
      const old = database.prepare(SELECT_OLD).all(before, limit) as { key: number }[];
      const statements = [DELETE_LOGS, DELETE_PROGRESS, FORGET_LOGS].map((sql) => database.prepare(sql));
      for (const { key } of old) for (const statement of statements) statement.run(key);
      return old.length;
    });
  }

  #last(): number {
    return (this.#selectLast.get() as { last: number }).last;
  }

  #selectExecutionKey(id: ExecutionId): number | undefined {
    return (readRow(this.#selectKey, id) as { key: number } | undefined)?.key;
  }
}

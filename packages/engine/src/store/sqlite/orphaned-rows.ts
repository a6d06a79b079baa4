// Finds rows that belong to no execution, in one pass over each table.

import type { OrphanedRows } from "../backup.ts";
import type { SqliteConnection } from "./connection.ts";
import { ID_MAX } from "./row-reading.ts";

/** The blocks of execution 0 are marks (W2). */
const ORPHANS: Readonly<Record<string, string>> = {
  journal: countQuery("journal", "AND t.execution <> 0"),
  execution_values: countQuery("execution_values"),
  step_logs: countQuery("step_logs"),
  step_progress: countQuery("step_progress"),
};
/** M2. */
const NO_IDS: Readonly<Record<string, string>> = {
  executions: countIds("executions", "key"),
  inbox: countIds("inbox", "id"),
  step_logs: countIds("step_logs", "id"),
  sqlite_sequence: countIds("sqlite_sequence", "seq", 0),
};
const COUNT_BLOCKS = "SELECT count(*) AS count FROM journal WHERE execution <> 0";

export function orphanedRows(connection: SqliteConnection, rows: number): readonly OrphanedRows[] {
  return connection.run(() => {
    const result: OrphanedRows[] = [];
    const add = (table: string, count: number, what: string): void => {
      if (count !== 0) result.push({ table, count, problem: what });
    };
    for (const [table, sql] of Object.entries(ORPHANS))
      add(table, countRows(connection, sql), "belong to no execution");
    const orphans = countRows(connection, ORPHANS["journal"]!);
    add(
      "journal",
      countRows(connection, COUNT_BLOCKS) - orphans - rows,
      "belong to an execution, but not to its journal",
    );
    for (const [table, sql] of Object.entries(NO_IDS))
      add(table, countRows(connection, sql), "have an id that no row can have");
    return result;
  });
}

function countRows({ database }: SqliteConnection, sql: string): number {
  return (database.prepare(sql).get() as { count: number }).count;
}

function countIds(table: string, id: string, least = 1): string {
  return `SELECT count(*) AS count FROM ${table} WHERE typeof(${id}) <> 'integer' OR ${id} NOT BETWEEN ${least} AND ${ID_MAX}`;
}

function countQuery(table: string, condition = ""): string {
  return `SELECT count(*) AS count FROM ${table} AS t LEFT JOIN executions ON executions.key = t.execution
    WHERE executions.key IS NULL ${condition}`;
}

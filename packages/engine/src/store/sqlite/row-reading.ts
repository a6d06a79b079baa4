// Reads rows whose numbers may be damaged.
//
// SQLite stores integers of 64 bits. Segno writes none that JavaScript cannot represent, and node:sqlite refuses a whole
// result that contains one. So one damaged number would make every execution of a page unreadable.
//
//   M1. Such a result is read a second time. The number then becomes one that is not a safe integer: it is damage of its
//       row, which readers detect as they detect a text, and no other row is affected (JOURNAL-6). A sound result is read
//       once.
//   M2. A row with an id above `ID_MAX` is left out by searches, because its id must be exact. No new row gets an id
//       above it, although SQLite would count on from there.

import type { SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { StoreFault } from "../store-fault.ts";
import type { SqliteConnection } from "./connection.ts";
import { isTooLarge } from "./sqlite-fault.ts";

/** More rows than a store can have, and far below the numbers that JavaScript cannot represent. */
export const ID_MAX: number = 2 ** 49;

type ResultRow = Record<string, SQLOutputValue>;

export function readRow(statement: StatementSync, ...values: readonly SQLInputValue[]): ResultRow | undefined {
  try {
    return statement.get(...values);
  } catch (error) {
    return rereadRows(error, statement, values)[0];
  }
}

export function readRows(statement: StatementSync, ...values: readonly SQLInputValue[]): ResultRow[] {
  try {
    return statement.all(...values);
  } catch (error) {
    return rereadRows(error, statement, values);
  }
}

/** Throws the error again unless it is a number that is too large (M1). */
export function rereadRows(error: unknown, statement: StatementSync, values: readonly SQLInputValue[]): ResultRow[] {
  if (!isTooLarge(error)) throw error;
  statement.setReadBigInts(true);
  try {
    return statement.all(...values).map((row) => withNumbers(row));
  } finally {
    statement.setReadBigInts(false);
  }
}

/** A statement may return its rows as arrays. */
function withNumbers(row: ResultRow): ResultRow {
  if (Array.isArray(row)) return row.map(toNumber) as unknown as ResultRow;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toNumber(value)]));
}

function toNumber(value: SQLOutputValue): SQLOutputValue {
  return typeof value === "bigint" ? Number(value) : value;
}

/** An SQL expression: the id of the next row, whatever SQLite would count on from (M2). */
function nextId(table: string, id: string): string {
  return `(SELECT coalesce(max(${id}), 0) + 1 FROM ${table} WHERE ${id} BETWEEN 1 AND ${ID_MAX - 1})`;
}

/**
 * Prepares an insert into a table that counts its ids. The statement names the id itself only if one of the table is
 * above `ID_MAX`, because SQLite finds the next id faster.
 */
export function prepareInsert(connection: SqliteConnection, table: string, id: string, columns: string): StatementSync {
  const values = columns.split(",").map(() => "?");
  const isSound = `
SELECT NOT EXISTS (SELECT 1 FROM ${table} WHERE ${id} > ${ID_MAX})
  AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '${table}' AND seq > ${ID_MAX}) AS sound`;
  return connection.run(() =>
    connection.database.prepare(isSound).get()?.["sound"] === 1
      ? connection.database.prepare(`INSERT INTO ${table} (${columns}) VALUES (${values.join(", ")})`)
      : connection.database.prepare(
          `INSERT INTO ${table} (${id}, ${columns}) VALUES (${[nextId(table, id), ...values].join(", ")})`,
        ),
  );
}

/** The id that an insert has given. Throws if the table was damaged after the statement was prepared. */
export function insertedId({ lastInsertRowid: id }: { readonly lastInsertRowid: number | bigint }): number {
  if (id <= ID_MAX) return Number(id);
  throw new StoreFault("STORE_CORRUPT", `the store: a row got the id ${id}, which is too large; open the store again`);
}

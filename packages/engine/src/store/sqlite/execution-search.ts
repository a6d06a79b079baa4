// Finds executions that match a query, one page at a time.
//
//   Y1. A search follows one index from the end of the previous page, and stops when the page is full. A page therefore
//       costs the same however many executions exist. A query for several statuses runs one search per status.
//   Y2. Searches return keys; only the rows of the page are read.
//   Y3. `wake_at` is never later than the tail says (W3): the index preselects, and the tail decides. Due executions
//       come in the order of `wake_at`. One that is not a time is never due.
//   Y4. Times of creation, labels and texts have no index. A search for them reads the rows that it passes over, and no
//       journal.

import type { SQLInputValue, StatementSync } from "node:sqlite";
import { EXECUTION_STATUSES, SegnoError } from "@segno/kernel";
import { cursorOffset } from "../cursor.ts";
import type { Codec } from "../codec.ts";
import { containsText, lowerCase } from "../contained-text.ts";
import type { Page, Query, Summary } from "../store.ts";
import type { SqliteConnection } from "./connection.ts";
import { decodeFailure, SELECT_BY_ID, SELECT_BY_KEY, toSummary, type ExecutionRow } from "./execution-row.ts";
import type { JournalTail } from "./journal-tail.ts";
import { SELECT_KEY_HOLDER } from "./key-holder.ts";
import { ID_MAX, readRow } from "./row-reading.ts";

type SearchName = "all" | "status" | "workflow" | "correlationId" | "ownCorrelationId" | "dueThen" | "dueLater";

/** Only rows whose key is exact (M2). */
const KEY_AFTER = `key > ? AND key <= ${ID_MAX}`;
/**
 * The time of creation, a label and a text, which SQLite compares faster than JavaScript (Y4). The codec may have encoded a
 * failure, so every failed execution may contain the text. A time that is no number is damage, which a list has to show.
 */
const WANTED = `NOT created_at < ? AND (created_at < ? OR typeof(created_at) <> 'integer') AND instr(coalesce(labels, ''), ?) > 0
  AND (instr(lower(id || char(10) || workflow), ?) > 0 OR failure IS NOT NULL)`;
const FIRST_AFTER = `${KEY_AFTER} AND ${WANTED}`;

/** The queries name their indexes, because without statistics the planner often prefers a table scan. */
export const SEARCHES: Readonly<Record<SearchName, string>> = {
  all: `SELECT key FROM executions WHERE ${FIRST_AFTER} ORDER BY key LIMIT ?`,
  status: `
SELECT key FROM executions INDEXED BY executions_by_status WHERE status = ? AND ${FIRST_AFTER} ORDER BY key LIMIT ?`,
  workflow: `
SELECT key FROM executions INDEXED BY executions_by_workflow
WHERE workflow = ? AND status = ? AND ${FIRST_AFTER} ORDER BY key LIMIT ?`,
  correlationId: `
SELECT key FROM executions INDEXED BY executions_by_correlation_id
WHERE correlation_id = ? AND correlation_id <> id AND ${FIRST_AFTER} ORDER BY key LIMIT ?`,
  /** The correlation id of an execution defaults to its own id. */
  ownCorrelationId: `SELECT key FROM executions WHERE id = ? AND correlation_id = id AND ${FIRST_AFTER} LIMIT ?`,
  dueThen: `
SELECT key FROM executions INDEXED BY executions_by_wake_at WHERE wake_at = ? AND ${KEY_AFTER} ORDER BY key LIMIT ?`,
  dueLater: `
SELECT key FROM executions INDEXED BY executions_by_wake_at
WHERE wake_at > ? AND wake_at <= ? AND typeof(wake_at) = 'integer' AND key <= ${ID_MAX} ORDER BY wake_at, key LIMIT ?`,
};

/** The maximum number of keys per search. */
const CHUNK = 128;

export class ExecutionSearch {
  readonly #tail: JournalTail;
  readonly #codec: Codec;
  readonly #selectByKey: StatementSync;
  readonly #selectById: StatementSync;
  readonly #selectKeyHolder: StatementSync;
  readonly #searches: Readonly<Record<SearchName, StatementSync>>;

  constructor(connection: SqliteConnection, tail: JournalTail, codec: Codec) {
    this.#tail = tail;
    this.#codec = codec;
    this.#selectByKey = connection.prepare(SELECT_BY_KEY);
    this.#selectById = connection.prepare(SELECT_BY_ID);
    this.#selectKeyHolder = connection.prepare(SELECT_KEY_HOLDER);
    const prepared = Object.entries(SEARCHES).map(([name, sql]) => [name, connection.prepare(sql)]);
    this.#searches = Object.fromEntries(prepared) as Record<SearchName, StatementSync>;
  }

  /** The caller must be in a transaction. */
  find(query: Query): Page {
    this.#tail.refresh();
    if (query.idempotencyKey !== undefined) return this.#findKeyHolder(query.idempotencyKey, query);
    const rows: ExecutionRow[] = [];
    let cursor = query.cursor ?? "0";
    for (const key of this.#keys(query)) {
      const stored = readRow(this.#selectByKey, key) as unknown as ExecutionRow;
      const row = this.#tail.applyTo(stored);
      if (!this.#fits(row, query)) continue;
      // A search for one more than the limit shows whether there is a next page.
      if (rows.length === query.limit) return { executions: this.#toSummaries(rows), cursor };
      rows.push(row);
      cursor = query.dueBy === undefined ? String(key) : `${stored.due_at}-${key}`;
    }
    return { executions: this.#toSummaries(rows) };
  }

  #toSummaries(rows: readonly ExecutionRow[]): readonly Summary[] {
    return rows.map((row) => toSummary(row, this.#codec));
  }

  #fits(row: ExecutionRow, query: Query): boolean {
    return fits(row, query) && (query.text === undefined || hasText(row, query.text, this.#codec));
  }

  /** At most one execution, so there is no next page. */
  #findKeyHolder(key: string, query: Query): Page {
    const holder = query.cursor === undefined && query.limit > 0 ? this.#selectKeyHolder.get(key) : undefined;
    if (holder === undefined) return { executions: [] };
    const row = this.#tail.applyTo(readRow(this.#selectById, holder["id"]!) as unknown as ExecutionRow);
    return { executions: this.#fits(row, query) ? this.#toSummaries([row]) : [] };
  }

  /** The keys of all candidates, in the order of the page. */
  #keys(query: Query): Iterable<number> {
    const { status, workflow, correlationId, dueBy, cursor } = query;
    if (dueBy !== undefined) return this.#due(dueBy, parseDueCursor(cursor), query);
    if (correlationId !== undefined)
      return inOrder([
        this.#scanIndex("correlationId", [correlationId], query),
        this.#scanIndex("ownCorrelationId", [correlationId], query),
      ]);
    if (workflow !== undefined)
      return inOrder(
        [...new Set(status ?? EXECUTION_STATUSES)].map((one) => this.#scanIndex("workflow", [workflow, one], query)),
      );
    if (status === undefined) return this.#scanIndex("all", [], query);
    return inOrder([...new Set(status)].map((one) => this.#scanIndex("status", [one], query)));
  }

  *#scanIndex(name: SearchName, bound: readonly SQLInputValue[], query: Query): Generator<number> {
    const { cursor, limit, since = -Infinity, until = Infinity, labels: [label = ""] = [], text = "" } = query;
    const wanted = [since, until, label, lowerCase(text)];
    const chunk = Math.min(limit + 1, CHUNK);
    for (let after = cursorOffset(cursor); ;) {
      const keys = this.#selectKeys(name, [...bound, after, ...wanted, chunk]);
      yield* keys;
      if (keys.length < chunk) return;
      after = keys.at(-1)!;
    }
  }

  /** First the remaining executions that are due at the same time as the last one, then those due later. */
  *#due(dueBy: number, cursor: DueCursor, { limit }: Query): Generator<number> {
    const chunk = Math.min(limit + 1, CHUNK);
    for (let { wakeAt, key } = cursor; ;) {
      const same = this.#selectKeys("dueThen", [wakeAt, key, chunk]);
      const keys = same.length > 0 ? same : this.#selectKeys("dueLater", [wakeAt, dueBy, chunk]);
      yield* keys;
      if (keys.length === 0) return;
      key = keys.at(-1)!;
      wakeAt = (readRow(this.#selectByKey, key) as unknown as ExecutionRow).due_at!;
    }
  }

  #selectKeys(name: SearchName, values: readonly SQLInputValue[]): number[] {
    return this.#searches[name].all(...values).map(({ key }) => key as number);
  }
}

/** Merges several ascending lists of keys. */
function* inOrder(lists: readonly Generator<number>[]): Generator<number> {
  const heads = lists.map((list) => ({ list, key: next(list) }));
  for (;;) {
    const first = heads.reduce((least, head) => (head.key < least.key ? head : least), END_OF_LISTS);
    if (first.list === undefined) return;
    yield first.key;
    first.key = next(first.list);
  }
}

const END_OF_LISTS: { readonly list: Generator<number> | undefined; key: number } = { list: undefined, key: Infinity };

function next(list: Generator<number>): number {
  const { value, done } = list.next();
  return done === true ? Infinity : value;
}

function fits(row: ExecutionRow, query: Query): boolean {
  const { status, workflow, correlationId, dueBy, since, until, labels = [] } = query;
  if (since !== undefined && row.created_at < since) return false;
  if (until !== undefined && row.created_at >= until) return false;
  if (!labels.every((label) => row.labels?.includes(label) === true)) return false;
  if (status !== undefined && !status.includes(row.status)) return false;
  if (workflow !== undefined && row.workflow !== workflow) return false;
  if (correlationId !== undefined && row.correlation_id !== correlationId) return false;
  if (dueBy === undefined) return true;
  return row.due_at !== null && row.due_at <= dueBy && row.quarantined === null;
}

function hasText({ id, workflow, failure }: ExecutionRow, text: string, codec: Codec): boolean {
  return containsText(text, [id, workflow, failure === null ? "" : decodeFailure(failure, codec)]);
}

interface DueCursor {
  readonly wakeAt: number;
  readonly key: number;
}

function parseDueCursor(cursor: string | undefined): DueCursor {
  if (cursor === undefined) return { wakeAt: -1, key: 0 };
  const [wakeAt, key, ...more] = cursor.split("-").map((part) => cursorOffset(part));
  if (wakeAt === undefined || key === undefined || more.length > 0)
    throw new SegnoError("CURSOR_INVALID", "this is not a cursor; pass the `cursor` of the previous page");
  return { wakeAt, key };
}

// Housekeeping: operations of an operator, and those of the engine that keep a store small (JOURNAL-6, JOURNAL-7).
//
//   P1. An operation that changes which writer may append adds a mark to the journal (W2).
//   P2. Removed data is overwritten in the file and not only unlinked.

import { dirname } from "node:path";
import type { StatementSync } from "node:sqlite";
import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { Codec } from "../codec.ts";
import type { Rewrite } from "../backup.ts";
import { StoreFault } from "../store-fault.ts";
import { WholeFile } from "../whole-file.ts";
import { decodeText } from "./codec-check.ts";
import type { SqliteConnection } from "./connection.ts";
import { restoreIds } from "./id-repair.ts";
import { findLeftLog } from "./left-log.ts";
import { SELECT_BY_ID, type ExecutionRow } from "./execution-row.ts";
import type { JournalWriter } from "./journal-writer.ts";
import { DELETE_LOGS, DELETE_PROGRESS, FORGET_LOGS, UNLIMITED } from "./log-table.ts";
import { checkPages } from "./page-check.ts";
import { makeFolder } from "./private-file.ts";
import { rewriteProjections } from "./projection-repair.ts";
import type { JournalTail } from "./journal-tail.ts";
import { ID_MAX, readRow, readRows } from "./row-reading.ts";
import { openDatabase } from "./sqlite-module.ts";

/** A backup lists no processes, because its owner must not end processes of the original. */
function forgetProcesses(file: string): void {
  const copy = openDatabase(file);
  try {
    copy.exec("DELETE FROM processes");
  } finally {
    copy.close();
  }
}

const WALK = `
WITH RECURSIVE walk (id, previous, count, body) AS (
  SELECT id, previous, count, body FROM journal WHERE id = ?1 AND execution = ?2
  UNION ALL
  SELECT block.id, block.previous, block.count, block.body FROM walk
  JOIN journal AS block ON block.id = walk.previous AND block.id < walk.id AND block.execution = ?2
)
SELECT id, count, body FROM walk`;

/** The fallback if the walk does not reach every block. A damaged journal is rare enough to scan the whole table. */
const SCAN = "SELECT id, count, body FROM journal WHERE execution = ?";

const DELETE_BLOCK = "DELETE FROM journal WHERE id = ? AND execution = ? RETURNING previous, count";
const DELETE_BLOCKS = "DELETE FROM journal WHERE execution = ?";
const UPDATE_BODY = "UPDATE journal SET body = ? WHERE id = ?";
const DELETE_VALUES = "DELETE FROM execution_values WHERE execution = ?";
const DELETE_MESSAGES = "DELETE FROM inbox WHERE execution = ?";
const DELETE_EXECUTION = "DELETE FROM executions WHERE id = ?";
const RELEASE = "UPDATE executions SET quarantined = NULL WHERE id = ? AND quarantined IS NOT NULL";
const QUARANTINE = "UPDATE executions SET quarantined = ? WHERE id = ?";

/** Names the index: without statistics the planner would use the index by status and sort every ended execution. */
export const SELECT_ENDED: string = `
SELECT id FROM executions INDEXED BY executions_by_end
WHERE status IN ('completed', 'failed', 'cancelled') AND updated_at < ? AND key <= ${ID_MAX}
ORDER BY updated_at, key LIMIT ?`;

/** The first condition on the status matches the index; the second selects the statuses. */
const HELD = "idempotency_key IS NOT NULL AND status IN ('completed', 'failed', 'cancelled')";

/**
 * IDEM-1: the keys of failed and cancelled executions expire at once, those of completed ones after their retention
 * time.
 */
export const SELECT_KEYS_OVER: string = `
SELECT key FROM (
  SELECT key FROM executions INDEXED BY executions_by_held_key WHERE ${HELD} AND status = 'failed'
  UNION ALL
  SELECT key FROM executions INDEXED BY executions_by_held_key WHERE ${HELD} AND status = 'cancelled'
  UNION ALL
  SELECT key FROM executions INDEXED BY executions_by_held_key WHERE ${HELD} AND status = 'completed' AND updated_at < ?
) LIMIT ?`;

const SWEEP_KEYS = `
UPDATE executions SET idempotency_key = NULL, idempotency_payload = NULL WHERE key IN (${SELECT_KEYS_OVER})`;

interface StoredBody {
  readonly id: number;
  readonly count: number;
  readonly body: unknown;
}

export class Housekeeping {
  readonly #connection: SqliteConnection;
  readonly #writer: JournalWriter;
  readonly #codec: Codec;
  readonly #tail: JournalTail;
  /** Statements are prepared on first use and reused; retention runs the same ones for each execution. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(connection: SqliteConnection, writer: JournalWriter, codec: Codec, tail: JournalTail) {
    this.#connection = connection;
    this.#writer = writer;
    this.#codec = codec;
    this.#tail = tail;
  }

  quarantine(id: ExecutionId, reason: string): void {
    this.#writer.change(() => {
      this.#statement(QUARANTINE).run(reason, id);
      this.#writer.bumpVersion();
    });
  }

  release(id: ExecutionId): boolean {
    return this.#writer.change(() => {
      const { changes } = this.#statement(RELEASE).run(id);
      if (changes > 0) this.#writer.bumpVersion();
      return changes > 0;
    });
  }

  rewrite(rewrites: readonly Rewrite[]): number {
    return this.#writer.change(() => {
      const restored = restoreIds(this.#connection);
      rewriteProjections(this.#connection, rewrites, this.#codec, () => this.#writer.nextBlockId());
      this.#writer.bumpVersion();
      return restored;
    });
  }

  removeEnded(before: EpochMs, limit: number): number {
    return this.#writer.change(() => {
      const rows = this.#statement(SELECT_ENDED).all(before, limit) as { id: ExecutionId }[];
      if (rows.length > 0) this.#writer.bumpVersion(rows.map(({ id }) => id));
      return rows.filter(({ id }) => this.#removeRows(id)).length;
    });
  }

  remove(id: ExecutionId): boolean {
    return this.#erasing(() => {
      this.#writer.bumpVersion([id]);
      return this.#removeRows(id);
    });
  }

  removePayloads(id: ExecutionId, redact: (body: string) => string, at: EpochMs): boolean {
    return this.#erasing(() => {
      const row = this.#selectRow(id);
      if (row === undefined) return false;
      this.#writer.noteRemoval(id, at);
      this.#statement(DELETE_VALUES).run(row.key);
      this.#statement(DELETE_LOGS).run(row.key);
      this.#statement(DELETE_PROGRESS).run(row.key);
      this.#statement(FORGET_LOGS).run(row.key);
      const update = this.#statement(UPDATE_BODY);
      for (const block of this.#selectBlocks(row))
        update.run(this.#codec.encode(redact(decodeText(block.body, this.#codec))), block.id);
      return true;
    });
  }

  integrity(): readonly string[] {
    return this.#connection.run(() => checkPages(this.#connection.database, "integrity_check"));
  }

  vacuum(): void {
    this.#connection.run(() => this.#connection.database.exec("VACUUM"));
  }

  /**
   * SQLite can write into an empty file. The backup creates that file first, so that no other user can read it and no
   * existing file is overwritten.
   */
  backup(file: string): void {
    this.#connection.run(() => {
      const copy = copyAt(file);
      try {
        this.#statement("VACUUM INTO ?").run(copy.partial);
        forgetProcesses(copy.partial);
        copy.publish();
      } finally {
        copy.discard();
      }
    });
  }

  sweepKeys(before: EpochMs, limit: number = UNLIMITED): number {
    return this.#connection.run(() => Number(this.#statement(SWEEP_KEYS).run(before, limit).changes));
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#connection.database.prepare(sql)));
    return statement;
  }

  #selectRow(id: ExecutionId): ExecutionRow | undefined {
    const row = readRow(this.#statement(SELECT_BY_ID), id) as ExecutionRow | undefined;
    if (row === undefined) return undefined;
    this.#tail.refresh();
    return this.#tail.applyTo(row);
  }

  #removeRows(id: ExecutionId): boolean {
    this.#statement(DELETE_MESSAGES).run(id);
    const row = this.#selectRow(id);
    if (row === undefined) return false;
    this.#removeBlocks(row);
    this.#statement(DELETE_VALUES).run(row.key);
    this.#statement(DELETE_LOGS).run(row.key);
    this.#statement(DELETE_PROGRESS).run(row.key);
    this.#statement(DELETE_EXECUTION).run(id);
    return true;
  }

  /** Walks from the last block to the first. If the walk misses blocks, it scans every block of the store. */
  #removeBlocks({ key, last_block: last, seq }: ExecutionRow): void {
    let events = 0;
    for (let id = last; id > 0;) {
      const block = readRow(this.#statement(DELETE_BLOCK), id, key) as { previous: number; count: number } | undefined;
      if (block === undefined) break;
      events += block.count;
      id = block.previous < id ? block.previous : 0;
    }
    if (events !== seq) this.#statement(DELETE_BLOCKS).run(key);
  }

  #selectBlocks({ key, last_block: last, seq }: ExecutionRow): StoredBody[] {
    const walked = readRows(this.#statement(WALK), last, key) as unknown as StoredBody[];
    const events = walked.reduce((sum, { count }) => sum + count, 0);
    return events === seq ? walked : (readRows(this.#statement(SCAN), key) as unknown as StoredBody[]);
  }

  #erasing<Result>(work: () => Result): Result {
    this.#connection.execute("PRAGMA secure_delete = ON");
    try {
      return this.#writer.change(work);
    } finally {
      this.#connection.execute("PRAGMA secure_delete = OFF");
      this.#emptyLog();
    }
  }

  /**
   * The write-ahead log still contains the removed data. While another process reads from the log, the data stays until
   * the next call.
   */
  #emptyLog(): void {
    try {
      this.#connection.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
    }
  }
}

/** SQLite would apply the log of another store, left under the same name, to the copy. */
function copyAt(file: string): WholeFile {
  makeFolder(dirname(file));
  const rest = findLeftLog(file);
  if (rest !== undefined) throw new StoreFault("STORE_EXISTS", `${rest} belongs to another store; remove it first`);
  try {
    return new WholeFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new StoreFault("STORE_EXISTS", `${file} already exists`, { cause: error });
  }
}

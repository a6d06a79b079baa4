// The tail of the journal: blocks that the rows of `executions` do not include yet (W3).
//
// It knows the last block of each execution without a scan of the tail per execution.
//
//   U1. Block ids rise and are never reused (W2), so no block is read twice: each look reads only the blocks since the
//       previous look. Reading an execution costs the same however long the tail is.
//   U2. The cached blocks are committed, or written in the current transaction. A rollback calls `forget`.
//   U3. `settled` is the id of a mark that a checkpoint added to the journal, or 0 before the first checkpoint. Any other
//       value is not trusted, because it would hide recorded blocks: the tail is then the whole journal, until the next
//       write sets it right. A block that a row already includes changes nothing, so an older checkpoint does no harm.

import type { StatementSync } from "node:sqlite";
import type { SqliteConnection } from "./connection.ts";
import type { ExecutionRow } from "./execution-row.ts";
import { ID_MAX, readRow, rereadRows } from "./row-reading.ts";

/** The hash of the mark that a checkpoint adds (U3). Other marks have none. */
export const CHECKPOINT_HASH = "checkpoint";

/** U3. Node.js binds every number as a REAL, so both types are whole numbers of Segno. */
const SELECT_SETTLED = `
SELECT value FROM meta WHERE key = 'settled' AND typeof(value) IN ('integer', 'real') AND (value = 0
  OR EXISTS (SELECT 1 FROM journal WHERE id = value AND execution = 0 AND hash = '${CHECKPOINT_HASH}'))`;

export const SELECT_VERSION: string = `
SELECT coalesce((SELECT max(id) FROM journal WHERE id <= ${ID_MAX}), 0) AS version, coalesce((${SELECT_SETTLED}), -1) AS checkpointed`;

const SELECT_MARK = `
SELECT (SELECT quote(value) FROM meta WHERE key = 'settled') AS mark, coalesce(max(id), 0) AS version FROM journal
WHERE id <= ${ID_MAX}`;

/** The value of `checkpointed` if the mark cannot be trusted (U3). */
export const UNTRUSTED = -1;

export const SELECT_NEW_BLOCKS: string = `SELECT id, execution FROM journal WHERE id > ? AND id <= ${ID_MAX}`;

export const SELECT_LAST_BLOCK = `
SELECT first_seq + count - 1 AS seq, id AS last_block, updated_at, updated_at + wake_in AS due_at, steps_ended, hash AS head
FROM journal WHERE id = ?`;

/** The highest id of the journal, and the highest id that the rows of `executions` include, or `UNTRUSTED`. */
export interface JournalVersion {
  readonly version: number;
  readonly checkpointed: number;
}

export class JournalTail {
  readonly #connection: SqliteConnection;
  readonly #selectVersion: StatementSync;
  readonly #selectNewBlocks: StatementSync;
  readonly #selectLastBlock: StatementSync;
  /** The last block of each execution that has one in the tail, by the key of its row. */
  readonly #last = new Map<number, number>();
  #seen = 0;
  #checkpointed = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#selectVersion = connection.prepare(SELECT_VERSION);
    this.#selectNewBlocks = connection.prepare(SELECT_NEW_BLOCKS);
    this.#selectNewBlocks.setReturnArrays(true);
    this.#selectLastBlock = connection.prepare(SELECT_LAST_BLOCK);
  }

  version(): JournalVersion {
    return this.#selectVersion.get() as unknown as JournalVersion;
  }

  /** The problem with the mark, phrased for an operator (U3). */
  markProblem(): string | undefined {
    if (this.version().checkpointed !== UNTRUSTED) return undefined;
    const row = this.#connection.prepare(SELECT_MARK).get() as { mark: string | null; version: number };
    return `\`settled\` is ${row.mark ?? "absent"}, which is no checkpoint; the journal ends at ${row.version}`;
  }

  /**
   * Reads the blocks since the previous look, and returns the version of the journal. The caller must be in the
   * transaction that reads the rows.
   */
  refresh({ version, checkpointed }: JournalVersion = this.version()): number {
    if (version < this.#seen) this.forget();
    if (checkpointed > this.#checkpointed) {
      this.#last.clear();
      this.#seen = checkpointed;
      this.#checkpointed = checkpointed;
    }
    if (version > this.#seen) this.#read();
    return version;
  }

  /** The row with the last block applied: the current state of the execution. */
  applyTo(row: ExecutionRow): ExecutionRow {
    const last = this.#last.get(row.key);
    if (last === undefined || last <= row.last_block) return row;
    const block = readRow(this.#selectLastBlock, last) as Partial<ExecutionRow> | undefined;
    return block === undefined ? row : { ...row, ...block };
  }

  forget(): void {
    this.#last.clear();
    this.#seen = 0;
    this.#checkpointed = 0;
  }

  #read(): void {
    try {
      this.#note(this.#selectNewBlocks.iterate(this.#seen));
    } catch (error) {
      this.#note(rereadRows(error, this.#selectNewBlocks, [this.#seen]));
    }
  }

  #note(rows: Iterable<unknown>): void {
    for (const [id, execution] of rows as Iterable<[number, number]>) {
      this.#last.set(execution, id);
      this.#seen = id;
    }
  }
}

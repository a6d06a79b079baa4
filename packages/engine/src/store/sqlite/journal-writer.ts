// The journal writer: makes a batch durable.
//
// Most turns end one step and start the next. Such an append is *block-only*: it adds a block and changes no column
// that a query can search by. It is one insert without an explicit transaction, which costs as much as a bare insert.
// All other appends use a transaction.
//
//   W1. The highest id of the journal is the version of all heads. A writer inserts under version + 1. A second writer
//       finds the id taken, drops its cache and reads again. So a cache can be stale, but no write succeeds with a
//       stale cache.
//   W2. A change of the writer that may append (a take-over, a removal, a quarantine), or of the rows (a checkpoint),
//       adds a block or a mark, so that W1 detects it. The block with the highest id is never removed, so no id is
//       reused.
//   W3. A row of `executions` may lag behind the tail of the journal, but only in columns that readers take from the
//       tail; `wake_at` may only be too early. After CHECKPOINT_AFTER blocks a checkpoint updates the rows.
//   W4. After a failure the writer drops all its caches (K4).

import type { StatementSync } from "node:sqlite";
import type { EpochMs, ExecutionId } from "@segno/kernel";
import type { Codec } from "../codec.ts";
import { Fence, type Rivals } from "../fence.ts";
import { StoreFault } from "../store-fault.ts";
import type { Append, CommitBatch, Block, Content, MessageId, Projection } from "../store.ts";
import type { SqliteConnection } from "./connection.ts";
import { DefinitionRows } from "./definition-rows.ts";
import { rowProjection, SELECT_BY_ID, type ExecutionRow } from "./execution-row.ts";
import { isProjectionUnchanged, toColumns } from "./projection-columns.ts";
import { RecentMap } from "./recent-map.ts";
import { ID_MAX, insertedId, prepareInsert, readRow } from "./row-reading.ts";
import { toStoreFault, isKeyTaken } from "./sqlite-fault.ts";
import { CHECKPOINT_HASH, JournalTail, UNTRUSTED } from "./journal-tail.ts";
import { SELECT_KEY_HOLDER } from "./key-holder.ts";

/**
 * A checkpoint touches every execution with a newer block, and a read applies the tail. This many blocks keep both
 * cheap.
 */
const CHECKPOINT_AFTER = 2048;
/** More heads are not worth their memory. Heads that are evicted are read again on use. */
const HEADS_MAX = 20_000;
/** Programs have fewer workflows than this. */
const DEFINITIONS_MAX = 1000;
const UNKNOWN = -1;

const INSERT_BLOCK = `
INSERT INTO journal (id, execution, previous, first_seq, count, updated_at, wake_in, steps_ended, hash, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const NEW_EXECUTION = `epoch, status, seq, last_block, updated_at, wake_at, steps_ended, head, created_at, priority,
  steps_total, workflow, definition, correlation_id, labels, tolerated_failures, failure, id, idempotency_key,
  idempotency_payload`;

const UPDATE_EXECUTION = `
UPDATE executions SET epoch = ?, status = ?, seq = ?, last_block = ?, updated_at = ?, wake_at = ?, steps_ended = ?,
  head = ?, created_at = ?, priority = ?, steps_total = ?, workflow = ?, definition = ?, correlation_id = ?,
  labels = ?, tolerated_failures = ?, failure = ?
WHERE key = ?`;

const INSERT_VALUE = "INSERT OR IGNORE INTO execution_values (execution, hash, body) VALUES (?, ?, ?)";
const NOTE_REMOVAL = "UPDATE executions SET payloads_removed_at = coalesce(payloads_removed_at, ?) WHERE id = ?";
export const SELECT_START: string = `SELECT id, body FROM inbox WHERE execution = ? AND is_start = 1 AND id <= ${ID_MAX}`;
const TAKE_MESSAGE = "DELETE FROM inbox WHERE id = ?";

const CHECKPOINT_ROWS = `
UPDATE executions SET seq = block.first_seq + block.count - 1, last_block = block.id, updated_at = block.updated_at,
  wake_at = block.updated_at + block.wake_in, steps_ended = block.steps_ended, head = block.hash
FROM (
  SELECT max(id) AS id, execution FROM journal
  WHERE id > ? AND id <= ${ID_MAX} GROUP BY execution
) AS tail JOIN journal AS block ON block.id = tail.id
WHERE executions.key = tail.execution AND executions.last_block < block.id`;

const CHECKPOINT_MARK = "INSERT OR REPLACE INTO meta (key, value) VALUES ('settled', ?)";

/** The end of a journal. It is mutable because every block changes it. */
interface Head {
  readonly key: number;
  readonly quarantined: string | undefined;
  readonly payloadsRemovedAt: EpochMs | undefined;
  epoch: number;
  seq: number;
  lastBlock: number;
  /** The projection of the last append; undefined before the first one. */
  latest: Projection | undefined;
  /** The projection in the row of `executions`. */
  written: Projection;
}

export class JournalWriter {
  readonly #connection: SqliteConnection;
  readonly #codec: Codec;
  readonly #insertBlock: StatementSync;
  readonly #insertExecution: StatementSync;
  readonly #updateExecution: StatementSync;
  readonly #insertValue: StatementSync;
  readonly #definitionRows: DefinitionRows;
  readonly #takeMessage: StatementSync;
  readonly #selectExecution: StatementSync;
  readonly #selectKeyHolder: StatementSync;
  readonly #selectStart: StatementSync;
  readonly #checkpointRows: StatementSync;
  readonly #checkpointMark: StatementSync;
  readonly #tail: JournalTail;
  readonly #heads: RecentMap<ExecutionId, Head> = new RecentMap(HEADS_MAX);
  /** Definitions that were written over this connection. */
  readonly #definitions = new Set<string>();
  /** Heads that are newer than their rows. */
  readonly #dirty = new Set<Head>();
  #version = UNKNOWN;
  #checkpointed = 0;

  constructor(connection: SqliteConnection, codec: Codec, tail: JournalTail = new JournalTail(connection)) {
    this.#connection = connection;
    this.#codec = codec;
    this.#tail = tail;
    this.#insertBlock = connection.prepare(INSERT_BLOCK);
    this.#insertExecution = prepareInsert(connection, "executions", "key", NEW_EXECUTION);
    this.#updateExecution = connection.prepare(UPDATE_EXECUTION);
    this.#insertValue = connection.prepare(INSERT_VALUE);
    this.#definitionRows = new DefinitionRows(connection, codec);
    this.#takeMessage = connection.prepare(TAKE_MESSAGE);
    this.#selectExecution = connection.prepare(SELECT_BY_ID);
    this.#selectKeyHolder = connection.prepare(SELECT_KEY_HOLDER);
    this.#selectStart = connection.prepare(SELECT_START);
    this.#checkpointRows = connection.prepare(CHECKPOINT_ROWS);
    this.#checkpointMark = connection.prepare(CHECKPOINT_MARK);
  }

  commit({ appends, consumedMessages }: CommitBatch): void {
    if (appends.length === 1 && consumedMessages.length === 0 && this.#appendFast(appends[0]!)) return;
    if (appends.length === 0 && consumedMessages.length === 0) return;
    this.change(() => {
      const fence = new Fence();
      // First, because a start that the batch takes does not refuse its execution (K12).
      for (const id of consumedMessages) if (!this.#take(id)) fence.rejectMessage(id);
      for (const append of appends) this.#write(append, fence);
      fence.close();
    });
  }

  /** Runs a transaction with current heads. A caller that changes which writer may append must add a mark (W2). */
  change<Result>(work: () => Result): Result {
    try {
      return this.#connection.transact(() => {
        this.#refresh();
        // A mark beyond the journal would become true as the journal grows (U3).
        if (this.#checkpointed === UNTRUSTED) this.#checkpointTail();
        const result = work();
        if (this.#version - this.#checkpointed >= CHECKPOINT_AFTER) this.#checkpointTail();
        return result;
      });
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /**
   * Inserts a mark: a block that belongs to no execution and only raises the version. Heads that may have changed are
   * read again: all of them, or the given ones.
   */
  bumpVersion(changed?: Iterable<ExecutionId>): void {
    this.#insertMark();
    if (changed === undefined) return this.#dropHeads();
    for (const id of changed) this.#heads.delete(id);
  }

  /** The id for a block whose id is changed. The caller must be in a transaction. */
  nextBlockId(): number {
    return ++this.#version;
  }

  /** Updates all rows to the state of the journal. */
  checkpointProjections(): void {
    const { version, checkpointed } = this.#connection.run(() => this.#tail.version());
    if (version > checkpointed) this.change(() => this.#checkpointTail());
  }

  /** A checkpoint only makes reads cheaper, so a full, busy or read-only disk is no reason to fail here. */
  tryCheckpoint(): void {
    if (this.#connection.isReadOnly) return;
    try {
      this.checkpointProjections();
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
    }
  }

  /** Writes a block-only append and returns true. Otherwise it returns false and has no effect. */
  #appendFast(append: Append): boolean {
    const head = this.#heads.get(append.execution);
    const { block } = append;
    if (head === undefined || block === undefined || !this.#isBlockOnly(append, head)) return false;
    if (!new Fence().admits(append, head)) return false;
    try {
      this.#writeBlock(head, block, append.projection);
    } catch (error) {
      this.#forget();
      if (isKeyTaken(error)) return false;
      throw toStoreFault(error);
    }
    this.#dirty.add(head);
    return true;
  }

  #isBlockOnly(append: Append, head: Head): boolean {
    const { expectedEpoch, epoch, projection, values, definitions, payloadsRemovedAt } = append;
    if (expectedEpoch !== epoch || values.length > 0 || definitions.length > 0) return false;
    if (payloadsRemovedAt !== undefined) return false;
    return this.#version - this.#checkpointed < CHECKPOINT_AFTER && isProjectionUnchanged(head.written, projection);
  }

  /** Skips refused appends, so that the fence sees the rest; the transaction is then rolled back (F3). */
  #write(append: Append, fence: Fence): void {
    const head = this.#readHead(append.execution);
    if (!fence.admits(append, head, head === undefined ? this.#rivals(append) : undefined)) return;
    if (head === undefined) this.#create(append);
    else this.#extend(append, head);
    for (const definition of append.definitions) this.#writeDefinition(definition);
    if (append.payloadsRemovedAt !== undefined) this.noteRemoval(append.execution, append.payloadsRemovedAt);
  }

  /** Every start includes its definition, which nearly always exists already. Definitions are never removed. */
  #writeDefinition(definition: Content): void {
    if (this.#definitions.has(definition.hash)) return;
    this.#definitionRows.write(definition);
    if (this.#definitions.size >= DEFINITIONS_MAX) this.#definitions.clear();
    this.#definitions.add(definition.hash);
  }

  /** Keeps the time of the first removal. */
  noteRemoval(id: ExecutionId, at: EpochMs): void {
    this.#connection.database.prepare(NOTE_REMOVAL).run(at, id);
    this.bumpVersion();
  }

  #create(append: Append): void {
    const { execution, epoch, block, projection, idempotency } = append;
    const columns = toColumns(epoch, projection, this.#version + 1, this.#codec);
    const { key, payload } = idempotency ?? { key: null, payload: null };
    const rowid = insertedId(this.#insertExecution.run(...columns, execution, key, payload));
    const head = {
      key: rowid,
      epoch,
      seq: 0,
      lastBlock: 0,
      quarantined: undefined,
      payloadsRemovedAt: undefined,
      latest: undefined,
      written: projection,
    };
    if (block !== undefined) this.#writeBlock(head, block, projection);
    this.#writeValues(append, rowid);
    this.#heads.set(execution, head);
  }

  #extend(append: Append, head: Head): void {
    const { execution, epoch, block, projection } = append;
    if (block !== undefined) this.#writeBlock(head, block, projection);
    else if (epoch !== head.epoch) this.bumpVersion();
    this.#writeRow(append, head);
    this.#writeValues(append, head.key);
    head.epoch = epoch;
    this.#heads.set(execution, head);
  }

  /** Writes the row of the execution, unless the tail of the journal holds all changes (W3). */
  #writeRow({ epoch, block, projection }: Append, head: Head): void {
    const isCovered = block !== undefined && epoch === head.epoch && isProjectionUnchanged(head.written, projection);
    if (isCovered) {
      this.#dirty.add(head);
      return;
    }
    this.#updateExecution.run(...toColumns(epoch, projection, head.lastBlock, this.#codec), head.key);
    head.written = projection;
    this.#dirty.delete(head);
  }

  #writeBlock(head: Head, { firstSeq, count, hash, body }: Block, projection: Projection): void {
    const { updatedAt, wakeAt, stepsEnded } = projection;
    const id = this.#version + 1;
    const wakeIn = wakeAt === null ? null : wakeAt - updatedAt;
    const text = this.#codec.encode(body);
    this.#insertBlock.run(id, head.key, head.lastBlock, firstSeq, count, updatedAt, wakeIn, stepsEnded, hash, text);
    this.#version = id;
    head.lastBlock = id;
    head.seq = projection.seq;
    head.latest = projection;
  }

  #writeValues({ values }: Append, key: number): void {
    for (const { hash, body } of values) this.#insertValue.run(key, hash, this.#codec.encode(body));
  }

  #take(id: MessageId): boolean {
    return this.#takeMessage.run(id).changes === 1;
  }

  #rivals(append: Append): Rivals {
    const isStartPosted = readRow(this.#selectStart, append.execution) !== undefined;
    return { keyHolder: this.#keyHolder(append), isStartPosted };
  }

  /** The newest execution with the key of an append that creates one (K11). */
  #keyHolder({ idempotency }: Append): ExecutionId | undefined {
    if (idempotency === undefined) return undefined;
    const row = this.#selectKeyHolder.get(idempotency.key) as { readonly id: ExecutionId } | undefined;
    return row?.id;
  }

  #readHead(id: ExecutionId): Head | undefined {
    const head = this.#heads.get(id);
    if (head !== undefined) return head;
    const row = readRow(this.#selectExecution, id) as ExecutionRow | undefined;
    if (row === undefined) return undefined;
    this.#tail.refresh({ version: this.#version, checkpointed: this.#checkpointed });
    return headIn(row, this.#tail.applyTo(row), this.#codec);
  }

  /** Caches the head of a loaded execution, because a loaded execution is often written next. */
  cacheHead(id: ExecutionId, row: ExecutionRow, current: ExecutionRow, version: number): void {
    if (version === this.#version && this.#heads.get(id) === undefined)
      this.#heads.set(id, headIn(row, current, this.#codec));
  }

  #refresh(): void {
    const { version, checkpointed } = this.#tail.version();
    if (version !== this.#version) this.#dropHeads();
    this.#version = version;
    this.#checkpointed = checkpointed;
  }

  /** Other writers cache the `wake_at` of a row. Without a mark they would continue with the old one (W3). */
  #checkpointTail(): void {
    this.#insertMark(CHECKPOINT_HASH);
    this.#checkpointRows.run(this.#checkpointed);
    this.#checkpointMark.run(this.#version);
    this.#checkpointed = this.#version;
    for (const head of this.#dirty) head.written = head.latest ?? head.written;
    this.#dirty.clear();
  }

  #insertMark(hash: string = ""): void {
    this.#insertBlock.run(++this.#version, 0, 0, 0, 0, 0, null, 0, hash, "");
  }

  #forget(): void {
    this.#dropHeads();
    this.#tail.forget();
    this.#version = UNKNOWN;
    this.#definitions.clear();
  }

  #dropHeads(): void {
    this.#heads.clear();
    this.#dirty.clear();
  }
}

/** `row` is the row of `executions`; `current` is the row with the tail applied. */
function headIn(row: ExecutionRow, current: ExecutionRow, codec: Codec): Head {
  const { key, epoch, seq, last_block: lastBlock } = current;
  const quarantined = row.quarantined ?? undefined;
  const payloadsRemovedAt = row.payloads_removed_at ?? undefined;
  return {
    key,
    epoch,
    seq,
    lastBlock,
    quarantined,
    payloadsRemovedAt,
    latest: undefined,
    written: rowProjection(row, codec),
  };
}

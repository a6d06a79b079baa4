// Reads whole executions, lists of them (`execution-search.ts`), and bodies by hash.
//
//   D1. All results of one call come from one committed state (K5).
//   D2. The reader walks blocks from the last to the first; each names its predecessor. A journal whose blocks do not
//       lead from its head back to its first event is unreadable, whatever the reason.

import type { StatementSync } from "node:sqlite";
import type { ContentHash, ExecutionId } from "@segno/kernel";
import type { Codec } from "../codec.ts";
import type { Examination } from "../store-admin.ts";
import type { Block, ContentRequest, LastBlock, LoadResult, Page, Projection, Query } from "../store.ts";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { checkCodec, decodedBody } from "./codec-check.ts";
import type { SqliteConnection } from "./connection.ts";
import { findColumnDamage, rowProjection, SELECT_BY_ID, toSummary, type ExecutionRow } from "./execution-row.ts";
import { ExecutionSearch } from "./execution-search.ts";
import type { JournalTail } from "./journal-tail.ts";
import { readRow, readRows } from "./row-reading.ts";

/**
 * Reads one block at a time: a fifth faster than a recursive query, which keeps a queue of rows. A block comes after
 * its `previous`, so the walk ends even at a damaged link, with -1. Rows are arrays, which is twice as fast as objects;
 * recovery spends most of its time here.
 */
const SELECT_BLOCK = `
SELECT iif(previous BETWEEN 0 AND id - 1, previous, -1), first_seq, count, body, hash FROM journal
WHERE id = ? AND execution = ?`;

/** The journal has no index by execution, so a full scan is used only if the walk fails. */
const SCAN_BLOCKS = "SELECT previous, first_seq, count, body, hash FROM journal WHERE execution = ? ORDER BY id";

/** A temporary index in memory, for a check that reads the blocks of many executions. */
export const INDEX_BLOCKS = `
CREATE TEMP TABLE IF NOT EXISTS block_index AS SELECT execution, id FROM journal ORDER BY execution, id;
CREATE INDEX IF NOT EXISTS temp.block_index_by_execution ON block_index (execution, id)`;
const SCAN_INDEXED = `
SELECT previous, first_seq, count, body, hash FROM block_index JOIN journal ON journal.id = block_index.id
WHERE block_index.execution = ? ORDER BY block_index.id`;

const SELECT_LAST = `
SELECT first_seq, count, body, hash,
  (SELECT before.hash FROM journal AS before WHERE before.id = journal.previous AND before.execution = journal.execution)
FROM journal WHERE id = ? AND execution = ?`;

type LastRow = [firstSeq: number, count: number, body: unknown, hash: string, previousHash: string | null];

type BlockRow = [previous: number, firstSeq: number, count: number, body: unknown, hash: string];

const SELECT_VALUE = `
SELECT body FROM execution_values WHERE execution = (SELECT key FROM executions WHERE id = ?1) AND hash = ?2`;

const SELECT_DEFINITION = "SELECT body FROM definitions WHERE hash = ?";

/** Receives the row of a loaded execution, the same row with the tail applied, and the version of the journal. */
export type OnLoad = (id: ExecutionId, row: ExecutionRow, current: ExecutionRow, version: number) => void;

export class ExecutionReader {
  readonly #connection: SqliteConnection;
  readonly #codec: Codec;
  readonly #selectExecution: StatementSync;
  readonly #selectBlock: StatementSync;
  readonly #selectLast: StatementSync;
  readonly #selectValue: StatementSync;
  readonly #selectDefinition: StatementSync;
  readonly #search: ExecutionSearch;
  readonly #tail: JournalTail;
  readonly #onLoad: OnLoad | undefined;

  constructor(connection: SqliteConnection, codec: Codec, tail: JournalTail, onLoad?: OnLoad) {
    this.#connection = connection;
    this.#codec = codec;
    this.#tail = tail;
    this.#onLoad = onLoad;
    this.#search = new ExecutionSearch(connection, tail, codec);
    this.#selectExecution = connection.prepare(SELECT_BY_ID);
    this.#selectBlock = connection.prepare(SELECT_BLOCK);
    this.#selectBlock.setReturnArrays(true);
    this.#selectLast = connection.prepare(SELECT_LAST);
    this.#selectLast.setReturnArrays(true);
    this.#selectValue = connection.prepare(SELECT_VALUE);
    this.#selectDefinition = connection.prepare(SELECT_DEFINITION);
  }

  load(id: ExecutionId): LoadResult | undefined {
    return this.#connection.snapshot(() => this.#read(id));
  }

  loadLast(id: ExecutionId): LastBlock | undefined {
    return this.#connection.snapshot(() => this.#readLast(id));
  }

  /** Returns everything that the store has of an execution, even if it is quarantined or damaged. */
  examine(id: ExecutionId): Examination | undefined {
    return this.#connection.snapshot(() => {
      const stored = readRow(this.#selectExecution, id) as ExecutionRow | undefined;
      if (stored === undefined) return undefined;
      this.#tail.refresh();
      const row = this.#tail.applyTo(stored);
      const summary = toSummary(row, this.#codec);
      const walked = this.#walk(row.last_block, row.key);
      const blocks = this.#tryDecodeBlocks(walked);
      if (typeof blocks === "string") return { ...summary, blocks: [], damage: blocks };
      const damage = findDamage(blocks, summary.projection) ?? findLinkDamage(walked);
      return damage === undefined ? { ...summary, blocks } : { ...summary, blocks: this.#all(row, blocks), damage };
    });
  }

  /** Every block of the execution, linked or not. If one cannot be decoded, the blocks that were already found. */
  #all({ key }: ExecutionRow, found: readonly Block[]): readonly Block[] {
    const blocks = this.#tryDecodeBlocks(this.#scan(key));
    return typeof blocks === "string" ? found : blocks;
  }

  contents(request: ContentRequest): ReadonlyMap<ContentHash, string> {
    return this.#connection.snapshot(() => {
      const bodies = new Map<ContentHash, string>();
      for (const hash of request.hashes) {
        const row = this.#content(request, hash);
        if (row !== undefined) bodies.set(hash, decodedBody(row.body, this.#codec));
      }
      return bodies;
    });
  }

  find(query: Query): Page {
    return this.#connection.snapshot(() => this.#search.find(query));
  }

  #readLast(id: ExecutionId): LastBlock | undefined {
    const stored = readRow(this.#selectExecution, id) as ExecutionRow | undefined;
    if (stored === undefined || stored.quarantined !== null) return undefined;
    this.#tail.refresh();
    const row = this.#tail.applyTo(stored);
    const last = readRow(this.#selectLast, row.last_block, row.key) as unknown as LastRow | undefined;
    if (last === undefined) return undefined;
    const [firstSeq, count, body, hash, previousHash] = last;
    const block = { firstSeq, count, body: decodedBody(body, this.#codec), hash };
    const removed = row.payloads_removed_at === null ? {} : { payloadsRemovedAt: row.payloads_removed_at };
    return { projection: rowProjection(row, this.#codec), block, previousHash: previousHash ?? "", ...removed };
  }

  #read(id: ExecutionId): LoadResult | undefined {
    const stored = readRow(this.#selectExecution, id) as ExecutionRow | undefined;
    if (stored === undefined) return undefined;
    const version = this.#tail.refresh();
    const row = this.#tail.applyTo(stored);
    this.#onLoad?.(id, stored, row, version);
    const { epoch, quarantined, payloads_removed_at: payloadsRemovedAt } = row;
    if (quarantined !== null)
      return { kind: "unreadable", id, reason: `quarantined: ${quarantined}`, isQuarantined: true };
    const projection = rowProjection(row, this.#codec);
    const blocks = this.#decodeBlocks(this.#walk(row.last_block, row.key));
    const reason = findDamage(blocks, projection) ?? findColumnDamage(row);
    if (reason !== undefined) return { kind: "unreadable", id, reason, isQuarantined: false };
    const removed = payloadsRemovedAt === null ? {} : { payloadsRemovedAt };
    return { kind: "execution", id, epoch, projection, blocks, ...removed };
  }

  #decodeBlocks(rows: readonly BlockRow[]): Block[] {
    return rows.map(([, firstSeq, count, body, hash]) => ({
      firstSeq,
      count,
      body: decodedBody(body, this.#codec),
      hash,
    }));
  }

  /** For an examination: the blocks, or the reason why the codec cannot decode them. */
  #tryDecodeBlocks(rows: readonly BlockRow[]): readonly Block[] | string {
    try {
      return this.#decodeBlocks(rows);
    } catch (error) {
      checkCodec(this.#connection, this.#codec);
      return thrownMessage(error);
    }
  }

  /** A check in one frozen state creates the index once. */
  #scan(key: number): BlockRow[] {
    const { database, isFrozen } = this.#connection;
    if (isFrozen) database.exec(INDEX_BLOCKS);
    const scan = database.prepare(isFrozen ? SCAN_INDEXED : SCAN_BLOCKS);
    scan.setReturnArrays(true);
    return readRows(scan, key) as unknown as BlockRow[];
  }

  #walk(last: number, key: number): BlockRow[] {
    const rows: BlockRow[] = [];
    for (let id = last; id > 0;) {
      const row = readRow(this.#selectBlock, id, key) as unknown as BlockRow | undefined;
      if (row === undefined) break;
      rows.push(row);
      [id] = row;
    }
    return rows.toReversed();
  }

  #content(request: ContentRequest, hash: ContentHash): { body: unknown } | undefined {
    const row =
      request.kind === "definitions"
        ? this.#selectDefinition.get(hash)
        : this.#selectValue.get(request.execution, hash);
    return row as { body: unknown } | undefined;
  }
}

/** The first block has no predecessor. If all blocks exist, a wrong link in it does no harm and is repairable. */
function findLinkDamage([first]: readonly BlockRow[]): string | undefined {
  return first === undefined || first[0] === 0 ? undefined : "the first block names one before it";
}

/** The reason why these blocks are not the complete journal; undefined if they are. */
function findDamage(blocks: readonly Block[], { seq, head }: Projection): string | undefined {
  let expected = 1;
  for (const { firstSeq, count } of blocks) {
    if (firstSeq !== expected) return `events ${expected} to ${firstSeq - 1} are missing`;
    expected += count;
  }
  if (expected !== seq + 1) return `the journal has ${expected - 1} events, its head is at ${seq}`;
  return blocks.at(-1)?.hash === head ? undefined : "the last block does not match the head";
}

// Reading: executions whole, lists of them (`execution-search.ts`), and bodies by hash.
//
//   D1. Everything that one call gives comes from one committed state (K5).
//   D2. Blocks are found from the last to the first, each naming the one before. A journal whose blocks do not lead from its
//       head back to its first event is unreadable, whatever the reason.

import type { StatementSync } from "node:sqlite";
import type { ContentHash, ExecutionId } from "@segno/kernel";
import type { Codec } from "../../store/codec.ts";
import { StoreFault } from "../../store/store-fault.ts";
import type { Block, ContentRequest, LoadResult, Page, Projection, Query } from "../../store/store.ts";
import type { Connection } from "./connection.ts";
import { projectionOf, SELECT_BY_ID, type ExecutionRow } from "./execution-row.ts";
import { ExecutionSearch } from "./execution-search.ts";
import type { Tail } from "./tail.ts";

/**
 * One block at a time: a fifth faster than a recursive query, which keeps a queue of rows. A block comes after its
 * `previous`, so the walk ends even where a link is damaged. Rows are arrays: twice as fast as objects, and this is what
 * recovery does most.
 */
const SELECT_BLOCK = `
SELECT iif(previous BETWEEN 1 AND id - 1, previous, 0), first_seq, count, body, hash FROM journal
WHERE id = ? AND execution = ?`;

type BlockRow = [previous: number, firstSeq: number, count: number, body: string, hash: string];

const SELECT_VALUE = `
SELECT body FROM execution_values WHERE execution = (SELECT key FROM executions WHERE id = ?1) AND hash = ?2`;

const SELECT_DEFINITION = "SELECT body FROM definitions WHERE hash = ?";

export class ExecutionReader {
  readonly #connection: Connection;
  readonly #codec: Codec;
  readonly #selectExecution: StatementSync;
  readonly #selectBlock: StatementSync;
  readonly #selectValue: StatementSync;
  readonly #selectDefinition: StatementSync;
  readonly #search: ExecutionSearch;
  readonly #tail: Tail;

  constructor(connection: Connection, codec: Codec, tail: Tail) {
    this.#connection = connection;
    this.#codec = codec;
    this.#tail = tail;
    this.#search = new ExecutionSearch(connection, tail);
    this.#selectExecution = connection.prepare(SELECT_BY_ID);
    this.#selectBlock = connection.prepare(SELECT_BLOCK);
    this.#selectBlock.setReturnArrays(true);
    this.#selectValue = connection.prepare(SELECT_VALUE);
    this.#selectDefinition = connection.prepare(SELECT_DEFINITION);
  }

  load(id: ExecutionId): LoadResult | undefined {
    try {
      return this.#connection.snapshot(() => this.#read(id));
    } catch (error) {
      // A damaged page under one execution is no reason to give up the others (JOURNAL-6).
      if (!(error instanceof StoreFault) || error.code !== "STORE_CORRUPT") throw error;
      return { kind: "unreadable", id, reason: error.message };
    }
  }

  contents(request: ContentRequest): ReadonlyMap<ContentHash, string> {
    return this.#connection.snapshot(() => {
      const found = new Map<ContentHash, string>();
      for (const hash of request.hashes) {
        const row = this.#content(request, hash);
        if (row !== undefined) found.set(hash, this.#codec.decode(row.body));
      }
      return found;
    });
  }

  find(query: Query): Page {
    return this.#connection.snapshot(() => this.#search.find(query));
  }

  #read(id: ExecutionId): LoadResult | undefined {
    const stored = this.#selectExecution.get(id) as ExecutionRow | undefined;
    if (stored === undefined) return undefined;
    this.#tail.look();
    const row = this.#tail.onTopOf(stored);
    if (row.quarantined !== null) return { kind: "unreadable", id, reason: `quarantined: ${row.quarantined}` };
    const projection = projectionOf(row);
    const blocks = this.#blocksOf(row);
    if (typeof blocks === "string") return { kind: "unreadable", id, reason: blocks };
    const reason = damageOf(blocks, projection);
    return reason === undefined
      ? { kind: "execution", id, epoch: row.epoch, projection, blocks }
      : { kind: "unreadable", id, reason };
  }

  /** Oldest first, or why they cannot be read. */
  #blocksOf({ last_block: last, key }: ExecutionRow): Block[] | string {
    const rows = this.#walk(last, key);
    try {
      return rows.map(([, firstSeq, count, body, hash]) => ({ firstSeq, count, body: this.#codec.decode(body), hash }));
    } catch (error) {
      return `the codec cannot read it: ${String(error)}`;
    }
  }

  #walk(last: number, key: number): BlockRow[] {
    const rows: BlockRow[] = [];
    for (let id = last; id > 0;) {
      const row = this.#selectBlock.get(id, key) as BlockRow | undefined;
      if (row === undefined) break;
      rows.push(row);
      [id] = row;
    }
    return rows.toReversed();
  }

  #content(request: ContentRequest, hash: ContentHash): { body: string } | undefined {
    const row =
      request.kind === "definitions"
        ? this.#selectDefinition.get(hash)
        : this.#selectValue.get(request.execution, hash);
    return row as { body: string } | undefined;
  }
}

/** Why these blocks are not the whole journal, if they are not. */
function damageOf(blocks: readonly Block[], { seq, head }: Projection): string | undefined {
  let expected = 1;
  for (const { firstSeq, count } of blocks) {
    if (firstSeq !== expected) return `events ${expected} to ${firstSeq - 1} are missing`;
    expected += count;
  }
  if (expected !== seq + 1) return `the journal has ${expected - 1} events, its head is at ${seq}`;
  return blocks.at(-1)?.hash === head ? undefined : "the last block does not fit the head";
}

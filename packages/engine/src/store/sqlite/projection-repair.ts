// Writes rebuilt projections into the rows of `executions`, and relinks the rows of the journal.

import type { Rewrite } from "../backup.ts";
import type { Codec } from "../codec.ts";
import type { SqliteConnection } from "./connection.ts";
import { INDEX_BLOCKS } from "./execution-reader.ts";
import { ID_MAX } from "./row-reading.ts";

/** A temporary id that no execution has: each row gives up its id before any row gets its new one (C8). */
const VACATE_ID = "UPDATE executions SET id = 'repaired-' || key WHERE id = ? RETURNING key";
const SELECT_BLOCKS = "SELECT id FROM block_index WHERE execution = ? ORDER BY id";
const MOVE_BLOCK = "UPDATE journal SET id = ? WHERE id = ?";
const LINK_BLOCK = "UPDATE journal SET previous = ? WHERE id = ? AND previous <> ?";
const FORGET_REMOVAL = "UPDATE executions SET payloads_removed_at = NULL WHERE key = ?";
/** The time of the removal is recorded nowhere else. */
const RESTORE_REMOVAL = `
UPDATE executions SET payloads_removed_at = updated_at
WHERE key = ? AND (typeof(payloads_removed_at) <> 'integer'
  OR payloads_removed_at NOT BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER})`;
const WRITE_EPOCH = "UPDATE executions SET epoch = ? WHERE key = ?";
const WRITE_ROW = `
UPDATE executions SET id = ?, status = ?, seq = ?, last_block = ?, updated_at = ?, wake_at = ?, steps_ended = ?,
  head = ?, created_at = ?, priority = ?, steps_total = ?, workflow = ?, definition = ?, correlation_id = ?,
  idempotency_key = ?, idempotency_payload = ?, labels = ?, tolerated_failures = ?, failure = ?
WHERE key = ?`;

/** The caller must be in a transaction. */
export function rewriteProjections(
  { database }: SqliteConnection,
  rewrites: readonly Rewrite[],
  codec: Codec,
  nextBlockId: () => number,
): void {
  if (rewrites.length === 0) return;
  database.exec(`DROP TABLE IF EXISTS temp.block_index; ${INDEX_BLOCKS}`);
  const vacateId = database.prepare(VACATE_ID);
  const keys = rewrites.map(({ storedId }) => (vacateId.get(storedId) as { key: number }).key);
  for (const [index, rewrite] of rewrites.entries()) {
    const last = linkBlocks(database, keys[index]!, nextBlockId);
    rewriteOne(database, keys[index]!, last, rewrite, codec);
  }
  database.exec("DROP TABLE temp.block_index");
}

function rewriteOne(
  database: SqliteConnection["database"],
  key: number,
  last: number,
  rewrite: Rewrite,
  codec: Codec,
): void {
  const { id, epoch, projection: now, idempotency, arePayloadsRemoved } = rewrite;
  const { status, seq, updatedAt, wakeAt, stepsEnded, head, createdAt, priority, stepsTotal, workflow } = now;
  const changing = [id, status, seq, last, updatedAt, wakeAt, stepsEnded, head, createdAt, priority, stepsTotal];
  const fixed = [workflow, now.definition, now.correlationId, idempotency?.key ?? null, idempotency?.payload ?? null];
  const failure = now.failure === undefined ? null : codec.encode(now.failure);
  const found = [now.labels ?? null, now.toleratedFailures ?? 0, failure];
  database.prepare(WRITE_ROW).run(...changing, ...fixed, ...found, key);
  if (epoch !== undefined) database.prepare(WRITE_EPOCH).run(epoch, key);
  database.prepare(arePayloadsRemoved ? RESTORE_REMOVAL : FORGET_REMOVAL).run(key);
}

/**
 * Returns the row of the last block. If a block has an id that no search finds (M2), all blocks get the next ids, in
 * their order. The ids must be read exactly for that.
 */
function linkBlocks(database: SqliteConnection["database"], key: number, nextBlockId: () => number): number {
  const [select, move, link] = [SELECT_BLOCKS, MOVE_BLOCK, LINK_BLOCK].map((sql) => database.prepare(sql));
  select!.setReadBigInts(true);
  const ids = select!.all(key).map(({ id }) => id as bigint);
  const isSound = ids.every((id) => id > 0n && id <= ID_MAX);
  let previous = 0;
  for (const id of ids) {
    const moved = isSound ? Number(id) : nextBlockId();
    if (!isSound) move!.run(moved, id);
    link!.run(previous, moved, previous);
    previous = moved;
  }
  return previous;
}

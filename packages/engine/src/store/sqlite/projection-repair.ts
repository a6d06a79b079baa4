// Writes rebuilt projections into the rows of `executions`, and relinks the rows of the journal.

import type { Rewrite } from "../backup.ts";
import type { SqliteConnection } from "./connection.ts";
import { INDEX_BLOCKS } from "./execution-reader.ts";

/** A temporary id that no execution has: each row gives up its id before any row gets its new one (C8). */
const VACATE_ID = "UPDATE executions SET id = 'repaired-' || key WHERE id = ? RETURNING key";
const SELECT_BLOCKS = "SELECT id FROM block_index WHERE execution = ? ORDER BY id";
const LINK_BLOCK = "UPDATE journal SET previous = ? WHERE id = ? AND previous <> ?";
const FORGET_REMOVAL = "UPDATE executions SET payloads_removed_at = NULL WHERE key = ?";
const WRITE_ROW = `
UPDATE executions SET id = ?, status = ?, seq = ?, last_block = ?, updated_at = ?, wake_at = ?, steps_ended = ?,
  head = ?, created_at = ?, priority = ?, steps_total = ?, workflow = ?, definition = ?, correlation_id = ?,
  idempotency_key = ?, idempotency_payload = ?
WHERE key = ?`;

/** The caller must be in a transaction. */
export function rewriteProjections({ database }: SqliteConnection, rewrites: readonly Rewrite[]): void {
  database.exec(`DROP TABLE IF EXISTS temp.block_index; ${INDEX_BLOCKS}`);
  const vacateId = database.prepare(VACATE_ID);
  const keys = rewrites.map(({ storedId }) => (vacateId.get(storedId) as { key: number }).key);
  for (const [index, rewrite] of rewrites.entries()) rewriteOne(database, keys[index]!, rewrite);
  database.exec("DROP TABLE temp.block_index");
}

function rewriteOne(database: SqliteConnection["database"], key: number, rewrite: Rewrite): void {
  const last = linkBlocks(database, key);
  const { id, projection: now, idempotency, arePayloadsRemoved } = rewrite;
  const { status, seq, updatedAt, wakeAt, stepsEnded, head, createdAt, priority, stepsTotal, workflow } = now;
  const changing = [id, status, seq, last, updatedAt, wakeAt, stepsEnded, head, createdAt, priority, stepsTotal];
  const fixed = [workflow, now.definition, now.correlationId, idempotency?.key ?? null, idempotency?.payload ?? null];
  database.prepare(WRITE_ROW).run(...changing, ...fixed, key);
  if (!arePayloadsRemoved) database.prepare(FORGET_REMOVAL).run(key);
}

/** Returns the row of the last block. */
function linkBlocks(database: SqliteConnection["database"], key: number): number {
  const link = database.prepare(LINK_BLOCK);
  let previous = 0;
  for (const { id } of database.prepare(SELECT_BLOCKS).all(key) as { id: number }[]) {
    link.run(previous, id, previous);
    previous = id;
  }
  return previous;
}

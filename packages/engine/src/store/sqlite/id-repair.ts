// Restores ids that no search finds (M2).

import type { SqliteConnection } from "./connection.ts";
import { NEXT_MESSAGE_ID, RESTORE_LAST_MESSAGE } from "./message-ids.ts";
import { ID_MAX } from "./row-reading.ts";

/** The last block of an execution names the key of its row. Another row may have that key by now. */
const RESTORE_KEYS = `
UPDATE OR IGNORE executions SET key = block.execution FROM journal AS block
WHERE executions.key NOT BETWEEN 1 AND ${ID_MAX} AND block.id = executions.last_block AND block.hash = executions.head`;

/** No other row refers to the id of a message. */
const RENUMBER_MESSAGE = `
UPDATE inbox SET id = ${NEXT_MESSAGE_ID}
WHERE id = (SELECT min(id) FROM inbox WHERE id NOT BETWEEN 1 AND ${ID_MAX})`;

/** Without such a row, SQLite counts on from the highest id of the table. */
const FORGET_SEQUENCES = `DELETE FROM sqlite_sequence WHERE typeof(seq) <> 'integer' OR seq NOT BETWEEN 0 AND ${ID_MAX}`;

/** Returns the number of rows that were changed. The caller must be in a transaction. */
export function restoreIds({ database }: SqliteConnection): number {
  const change = (sql: string): number => Number(database.prepare(sql).run().changes);
  let restored = change(RESTORE_KEYS);
  for (let changes = 1; changes > 0; restored += changes) changes = change(RENUMBER_MESSAGE);
  database.exec(RESTORE_LAST_MESSAGE);
  return restored + change(FORGET_SEQUENCES);
}

// Restores ids that no search finds (M2).

import type { SqliteConnection } from "./connection.ts";
import { ID_MAX, nextId } from "./row-reading.ts";

/** The last block of an execution names the key of its row. Another row may have that key by now. */
const RESTORE_KEYS = `
UPDATE OR IGNORE executions SET key = block.execution FROM journal AS block
WHERE executions.key NOT BETWEEN 1 AND ${ID_MAX} AND block.id = executions.last_block AND block.hash = executions.head`;

/** No other row refers to the id of a message. */
const RENUMBER_MESSAGE = `
UPDATE inbox SET id = ${nextId("inbox", "id")}
WHERE id = (SELECT min(id) FROM inbox WHERE id NOT BETWEEN 1 AND ${ID_MAX})`;

/** Without such a row, SQLite counts on from the highest id of the table. */
const FORGET_SEQUENCES = `DELETE FROM sqlite_sequence WHERE typeof(seq) <> 'integer' OR seq NOT BETWEEN 0 AND ${ID_MAX}`;

/** The caller must be in a transaction. */
export function restoreIds({ database }: SqliteConnection): void {
  database.exec(RESTORE_KEYS);
  const renumber = database.prepare(RENUMBER_MESSAGE);
  for (let changes: number | bigint = 1; changes > 0;) ({ changes } = renumber.run());
  database.exec(FORGET_SEQUENCES);
}

// The ids of messages, which rise and never go back (I1): a reader that has seen an id asks only for later ones.
//
// The inbox is empty most of the time, so its rows do not show which ids were given. SQLite counts them in
// `sqlite_sequence`, and each post also records its id in `meta`. A number of either that no id can have is damage and
// does not count (M2); the other one then says where to go on.

import { ID_MAX } from "./row-reading.ts";

function sound(column: string): string {
  return `typeof(${column}) = 'integer' AND ${column} BETWEEN 0 AND ${ID_MAX - 1}`;
}

/** An SQL expression: the highest id that was ever given. */
const LAST_MESSAGE_ID = `(SELECT max(
  coalesce((SELECT value FROM meta WHERE key = 'last-message' AND ${sound("value")}), 0),
  coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'inbox' AND ${sound("seq")}), 0),
  coalesce((SELECT max(id) FROM inbox WHERE id BETWEEN 1 AND ${ID_MAX - 1}), 0)))`;

/** An SQL expression: the id of the next message. */
export const NEXT_MESSAGE_ID: string = `(${LAST_MESSAGE_ID} + 1)`;

/** The column has no type, and numbers of JavaScript arrive as fractions. */
export const RECORD_MESSAGE_ID = "INSERT OR REPLACE INTO meta (key, value) VALUES ('last-message', CAST(? AS INTEGER))";
/** For a repair, after which every message has a sound id. */
export const RESTORE_LAST_MESSAGE: string = `
INSERT OR REPLACE INTO meta (key, value) SELECT 'last-message', ${LAST_MESSAGE_ID} WHERE ${LAST_MESSAGE_ID} > 0`;

// The newest execution that was started with an idempotency key (K11).
//
//   H1. A row whose own key is damaged counts as well: nothing else finds it (M2), but its execution still has the
//       idempotency key, and may have done the work (IDEM-1). Its last block names its true place.
//   H2. The search for a key and the fence use this one statement. If they disagreed, a start would be refused and tried
//       again for ever.

import { ID_MAX } from "./row-reading.ts";

const TRUE_KEY = "(SELECT block.execution FROM journal AS block WHERE block.id = last_block AND block.hash = head)";

function damaged(condition: string): string {
  return `SELECT id, ${TRUE_KEY} AS place FROM executions WHERE idempotency_key = ?1 AND ${condition}`;
}

export const SELECT_KEY_HOLDER: string = `
SELECT id FROM (
  SELECT id, place FROM (
    SELECT id, key AS place FROM executions WHERE idempotency_key = ?1 AND key BETWEEN 1 AND ${ID_MAX}
    ORDER BY key DESC LIMIT 1
  )
  UNION ALL ${damaged("key < 1")}
  UNION ALL ${damaged(`key > ${ID_MAX}`)}
) ORDER BY place DESC LIMIT 1`;

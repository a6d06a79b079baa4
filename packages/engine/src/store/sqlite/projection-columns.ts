// The projection of an execution as the columns of its row that the journal writer writes.

import type { Codec } from "../codec.ts";
import type { Projection } from "../store.ts";

/** Whether the row with the projection `written` needs no update for `now` (W3). */
export function isProjectionUnchanged(written: Projection, now: Projection): boolean {
  return (
    written.status === now.status &&
    (now.wakeAt === null || (written.wakeAt !== null && written.wakeAt <= now.wakeAt)) &&
    written.stepsTotal === now.stepsTotal &&
    written.priority === now.priority &&
    written.workflow === now.workflow &&
    written.definition === now.definition &&
    written.correlationId === now.correlationId &&
    written.createdAt === now.createdAt &&
    written.labels === now.labels &&
    written.toleratedFailures === now.toleratedFailures &&
    written.failure === now.failure
  );
}

/** The values of the columns, in the order of the statements of the writer. */
export function toColumns(epoch: number, now: Projection, lastBlock: number, codec: Codec): (string | number | null)[] {
  return [
    epoch,
    now.status,
    now.seq,
    lastBlock,
    now.updatedAt,
    now.wakeAt,
    now.stepsEnded,
    now.head,
    now.createdAt,
    now.priority,
    now.stepsTotal,
    now.workflow,
    now.definition,
    now.correlationId,
    now.labels ?? null,
    now.toleratedFailures ?? 0,
    now.failure === undefined ? null : codec.encode(now.failure),
  ];
}

// A row of `executions`, and its projection.

import type { ContentHash, EpochMs, ExecutionId, ExecutionStatus } from "@segno/kernel";
import { isEpoch } from "../epoch.ts";
import type { Codec } from "../codec.ts";
import type { Projection, Summary } from "../store.ts";

export interface ExecutionRow {
  readonly key: number;
  readonly id: ExecutionId;
  readonly epoch: number;
  readonly status: ExecutionStatus;
  readonly seq: number;
  readonly last_block: number;
  readonly updated_at: EpochMs;
  readonly due_at: EpochMs | null;
  readonly steps_ended: number;
  readonly head: string;
  readonly created_at: EpochMs;
  readonly priority: number;
  readonly steps_total: number;
  readonly workflow: string;
  readonly definition: ContentHash;
  readonly correlation_id: string;
  readonly idempotency_key: string | null;
  readonly idempotency_payload: ContentHash | null;
  readonly quarantined: string | null;
  readonly payloads_removed_at: EpochMs | null;
  readonly labels: string | null;
  readonly tolerated_failures: number;
  /** Encoded by the codec. */
  readonly failure: string | null;
}

/**
 * The caller appends a WHERE clause. Columns that change with every block may lag behind the journal; `Tail` applies
 * the last block.
 */
const SELECT_EXECUTION = `
SELECT
  e.key, e.id, e.epoch, e.status, e.seq, e.last_block, e.updated_at, e.wake_at AS due_at, e.steps_ended, e.head,
  e.created_at, e.priority, e.steps_total, e.workflow, e.definition, e.correlation_id,
  e.idempotency_key, e.idempotency_payload, e.quarantined, e.payloads_removed_at, e.labels, e.tolerated_failures, e.failure
FROM executions AS e`;

export const SELECT_BY_ID: string = `${SELECT_EXECUTION} WHERE e.id = ?`;
export const SELECT_BY_KEY: string = `${SELECT_EXECUTION} WHERE e.key = ?`;

export function toSummary(row: ExecutionRow, codec: Codec): Summary {
  const { id, epoch, idempotency_key: key, idempotency_payload: payload, quarantined } = row;
  const { payloads_removed_at: payloadsRemovedAt } = row;
  return {
    id,
    epoch,
    projection: rowProjection(row, codec),
    ...(key === null || payload === null ? {} : { idempotency: { key, payload } }),
    ...(quarantined === null ? {} : { quarantined }),
    ...(payloadsRemovedAt === null ? {} : { payloadsRemovedAt }),
  };
}

export function rowProjection(row: ExecutionRow, codec: Codec): Projection {
  const { labels, tolerated_failures: toleratedFailures, failure } = row;
  return {
    workflow: row.workflow,
    definition: row.definition,
    status: row.status,
    seq: row.seq,
    head: row.head,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    wakeAt: row.due_at,
    priority: row.priority,
    correlationId: row.correlation_id,
    stepsTotal: row.steps_total,
    stepsEnded: row.steps_ended,
    ...(labels === null ? {} : { labels }),
    ...(toleratedFailures === 0 ? {} : { toleratedFailures }),
    ...(failure === null ? {} : { failure: decodeFailure(failure, codec) }),
  };
}

/** A damaged text reads as an empty one: it is only for people, and a check rebuilds it from the journal. */
export function decodeFailure(failure: string, codec: Codec): string {
  try {
    return codec.decode(failure);
  } catch {
    return "";
  }
}

/** SQLite stores a text in a column of numbers as it is. Undefined if every time of the row is one, and its epoch a count. */
export function findColumnDamage(row: ExecutionRow): string | undefined {
  if (!isEpoch(row.epoch)) return "`epoch` of its row is not a count";
  const { created_at, updated_at, due_at: wake_at, payloads_removed_at } = row;
  const times = { created_at, updated_at, wake_at, payloads_removed_at };
  const [wrong] = Object.entries(times).find(([, time]) => time !== null && !Number.isSafeInteger(time)) ?? [];
  return wrong === undefined ? undefined : `\`${wrong}\` of its row is not a time`;
}

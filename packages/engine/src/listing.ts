// Listing: executions as a list shows them, without folding a journal.

import { SegnoError, type EpochMs, type ExecutionStatus } from "@segno/kernel";
import { checkKey } from "./idempotency/keys.ts";
import { checkName } from "./names.ts";
import type { Store, Summary } from "./store/store.ts";

export interface ListFilter {
  readonly status?: readonly ExecutionStatus[];
  readonly workflow?: string;
  readonly correlationId?: string;
  /** The execution that was last started with this key. */
  readonly idempotencyKey?: string;
  /** How many at most; 100 when it is absent. */
  readonly limit?: number;
}

export interface ListedExecution {
  readonly id: string;
  readonly workflow: string;
  readonly status: ExecutionStatus;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly priority: number;
  readonly correlationId: string;
  readonly steps: { readonly total: number; readonly ended: number };
  readonly idempotencyKey?: string;
  /** Why it was set aside, if it was (JOURNAL-6). */
  readonly quarantined?: string;
}

export interface ExecutionList {
  /** Oldest first. */
  readonly executions: readonly ListedExecution[];
  /** Gives the next page; absent on the last. */
  readonly cursor?: string;
}

const LIMIT = 100;
const LIMIT_MAX = 1000;

export async function listExecutions(store: Store, filter: ListFilter, from?: string): Promise<ExecutionList> {
  const { limit = LIMIT, ...rest } = filter;
  if (rest.workflow !== undefined) checkName("the name of a workflow", rest.workflow);
  if (rest.correlationId !== undefined) checkName("a correlation id", rest.correlationId);
  if (rest.idempotencyKey !== undefined) checkKey(rest.idempotencyKey);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new SegnoError("OPTION_INVALID", `a list has 1 to ${LIMIT_MAX} executions, not ${limit}`);
  const { executions, cursor } = await store.find({ ...rest, limit, ...(from === undefined ? {} : { cursor: from }) });
  return { executions: executions.map(listed), ...(cursor === undefined ? {} : { cursor }) };
}

function listed({ id, projection, idempotency, quarantined }: Summary): ListedExecution {
  const { workflow, status, createdAt, updatedAt, priority, correlationId, stepsTotal, stepsEnded } = projection;
  return {
    id,
    workflow,
    status,
    createdAt,
    updatedAt,
    priority,
    correlationId,
    steps: { total: stepsTotal, ended: stepsEnded },
    ...(idempotency === undefined ? {} : { idempotencyKey: idempotency.key }),
    ...(quarantined === undefined ? {} : { quarantined }),
  };
}

// Lists executions from their projections, without folding journals.

import { closest, epochMs, EXECUTION_STATUSES, SegnoError, type EpochMs, type ExecutionStatus } from "@segno/kernel";
import { describeValue } from "@segno/kernel/describe-value";
import type { SystemPorts } from "../clock/system-ports.ts";
import { Pace } from "../clock/pace.ts";
import { checkKey } from "../idempotency/keys.ts";
import { checkLabels, labelLine, readLabels } from "../checks/labels.ts";
import { checkName, isName } from "../checks/names.ts";
import { invalidOption } from "../checks/option-error.ts";
import { ANYTHING, checkOptions, isObject, type Rule } from "../checks/option-rules.ts";
import type { Store, Summary } from "../store/store.ts";

/** The executions that `engine.list` returns. Without a field, all of them. */
export interface ListFilter {
  /** Only executions with one of these statuses. */
  readonly status?: readonly ExecutionStatus[];
  /** Only executions of this workflow. */
  readonly workflow?: string;
  /** Only executions with this correlation id. */
  readonly correlationId?: string;
  /** Only executions that were created at this time or later, in milliseconds since 1970. */
  readonly since?: number;
  /** Only executions that were created before this time. */
  readonly until?: number;
  /** Only executions that were started with all of these labels. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Only executions whose id, workflow or failure contains this text. Letters from A to Z match in both cases. */
  readonly text?: string;
  /** Only the execution that was last started with this key. */
  readonly idempotencyKey?: string;
  /** The maximum number of executions in a page. The default is 100. */
  readonly limit?: number;
}

/** An execution as `engine.list` shows it. */
export interface ListedExecution {
  readonly id: string;
  readonly workflow: string;
  readonly status: ExecutionStatus;
  /** The sequence number of the last event that the row includes. */
  readonly seq: number;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly priority: number;
  readonly correlationId: string;
  readonly steps: { readonly total: number; readonly ended: number };
  /** The number of items and steps that failed without failing the execution (STATE-7). */
  readonly toleratedFailures: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The beginning of the message of a failed execution. */
  readonly failure?: string;
  readonly idempotencyKey?: string;
  /** The reason for a quarantine, if the execution is quarantined (JOURNAL-6). */
  readonly quarantined?: string;
}

/** A page of executions. */
export interface ExecutionList {
  /** Oldest first. */
  readonly executions: readonly ListedExecution[];
  /** The cursor of the next page. Absent on the last page. */
  readonly cursor?: string;
}

const LIMIT = 100;
const LIMIT_MAX = 1000;

/**
 * The number of pages read per tick of the event loop, so that a caller who reads all pages does not block other work.
 */
const PAGES_AT_ONCE = 4;

export class Listing {
  readonly #store: Store;
  readonly #pace: Pace;

  constructor(store: Store, environment: SystemPorts) {
    this.#store = store;
    this.#pace = new Pace(environment, PAGES_AT_ONCE);
  }

  async page(filter: ListFilter, from?: string): Promise<ExecutionList> {
    await this.#pace.wait();
    return listExecutions(this.#store, filter, from);
  }
}

async function listExecutions(store: Store, filter: ListFilter, from?: string): Promise<ExecutionList> {
  checkFilter(filter);
  const { limit = LIMIT, labels: wanted, since, until, ...rest } = filter;
  if (rest.workflow !== undefined) checkName("the name of a workflow", rest.workflow);
  if (rest.correlationId !== undefined) checkName("a correlation id", rest.correlationId);
  if (rest.idempotencyKey !== undefined) checkKey(rest.idempotencyKey);
  const labels = Object.entries(checkLabels(wanted) ?? {}).map(([name, value]) => labelLine(name, value));
  const { executions, cursor } = await store.find({
    ...rest,
    limit,
    ...(labels.length === 0 ? {} : { labels }),
    ...(since === undefined ? {} : { since: epochMs(since) }),
    ...(until === undefined ? {} : { until: epochMs(until) }),
    ...(from === undefined ? {} : { cursor: from }),
  });
  return { executions: executions.map(toListedExecution), ...(cursor === undefined ? {} : { cursor }) };
}

const TIME: Rule = { expected: "a time in milliseconds since 1970", fits: Number.isSafeInteger };

/** Names and keys are checked in more detail by the functions that use them. */
const RULES: Readonly<Record<keyof ListFilter, Rule>> = {
  status: { expected: 'a list of statuses, such as ["running"]', fits: Array.isArray },
  workflow: ANYTHING,
  correlationId: ANYTHING,
  since: TIME,
  until: TIME,
  labels: ANYTHING,
  text: { expected: "text of 1 to 1024 characters", fits: (value) => isName(value) && value !== "" },
  idempotencyKey: { expected: "text", fits: (value) => typeof value === "string" },
  limit: {
    expected: `a whole number from 1 to ${LIMIT_MAX}`,
    fits: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LIMIT_MAX,
  },
};

/**
 * Rejects unknown options and statuses. A misspelt option would filter nothing, and an unknown status would match
 * nothing.
 */
function checkFilter(filter: ListFilter): void {
  if (!isObject(filter)) throw invalidOption("filter", "an object", filter);
  checkOptions("a list", filter, RULES);
  const { status = [] } = filter;
  const stranger = status.findIndex((each) => !EXECUTION_STATUSES.includes(each));
  if (stranger >= 0) throw unknownStatus(status[stranger]);
}

function unknownStatus(given: unknown): SegnoError {
  const near = typeof given === "string" ? closest(given, EXECUTION_STATUSES) : undefined;
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  const message = `\`status\` is a list of ${EXECUTION_STATUSES.join(", ")}, and ${describeValue(given)} is not one of them${hint}`;
  return new SegnoError("OPTION_INVALID", message);
}

function toListedExecution({ id, projection, idempotency, quarantined }: Summary): ListedExecution {
  const { workflow, status, seq, createdAt, updatedAt, priority, correlationId, stepsTotal, stepsEnded } = projection;
  const { labels, toleratedFailures = 0, failure } = projection;
  return {
    id,
    workflow,
    status,
    seq,
    createdAt,
    updatedAt,
    priority,
    correlationId,
    steps: { total: stepsTotal, ended: stepsEnded },
    toleratedFailures,
    labels: labels === undefined ? {} : readLabels(labels),
    ...(failure === undefined ? {} : { failure }),
    ...(idempotency === undefined ? {} : { idempotencyKey: idempotency.key }),
    ...(quarantined === undefined ? {} : { quarantined }),
  };
}

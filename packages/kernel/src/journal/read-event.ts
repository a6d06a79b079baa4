// Reads a row of a journal: upcasts it, checks its shape, and refuses a row that is not an event.
//
// Later code trusts the journal, so a damaged row must be found here (JOURNAL-6).

import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { VALUE_BYTES_MAX } from "../model/value.ts";
import type { Event, EventKind } from "./event.ts";
import { upcast, UPCASTING, type Upcasting } from "./upcast.ts";

export type ReadResult =
  | { readonly kind: "event"; readonly event: Event }
  | { readonly kind: "unreadable" | "newer"; readonly message: string };

type FieldCheck = (value: Json | undefined) => boolean;

const text: FieldCheck = (value) => typeof value === "string";
const integer: FieldCheck = (value) => typeof value === "number" && Number.isInteger(value);
const index: FieldCheck = (value) => integer(value) && (value as number) >= 0;
const number: FieldCheck = (value) => typeof value === "number";
const flag: FieldCheck = (value) => typeof value === "boolean";
const anything: FieldCheck = (value) => value !== undefined;
const optional =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    value === undefined || check(value);
const listField =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    isJsonArray(value) && value.every(check);
const oneOf =
  (...words: readonly string[]): FieldCheck =>
  (value) =>
    typeof value === "string" && words.includes(value);
/** Built once for each shape: a journal has many events, and looking up the fields for each costs more than checking them. */
type Fields = readonly (readonly [field: string, check: FieldCheck])[];
const fit = (object: JsonObject, fields: Fields): boolean => {
  for (const [field, check] of fields) if (!check(object[field])) return false;
  return true;
};
const record = (shape: Readonly<Record<string, FieldCheck>>): FieldCheck => {
  const fields = Object.entries(shape);
  return (value) => isJsonObject(value) && fit(value, fields);
};
/** One of several shapes, discriminated by `kind`. */
const union = (kinds: Readonly<Record<string, Readonly<Record<string, FieldCheck>>>>): FieldCheck => {
  const shapes = new Map<Json | undefined, Fields>(
    Object.entries(kinds).map(([kind, shape]) => [kind, Object.entries(shape)]),
  );
  return (value) => {
    if (!isJsonObject(value)) return false;
    const fields = shapes.get(value["kind"]);
    return fields !== undefined && fit(value, fields);
  };
};

const failure: FieldCheck = record({
  class: oneOf("transient", "permanent", "timeout", "cancelled"),
  code: text,
  message: text,
  name: optional(text),
  isUncounted: optional((field) => field === true),
  stack: optional(text),
  cause: optional((value) => failure(value)),
});
const value: FieldCheck = union({ inline: { json: anything }, stored: { hash: text, bytes: index }, gathered: {} });
const indexes: FieldCheck = listField(index);
const ranges: FieldCheck = listField(
  (range) => isJsonArray(range) && range.length === 2 && range.every(index) && Number(range[0]) <= Number(range[1]),
);
const skipReason: FieldCheck = union({
  condition: {},
  "skipped-by-handler": { message: text },
  disabled: {},
  "dependency-failed": { dependency: index },
  "fallback-unused": { primary: index },
  failing: { message: text },
});
const parkCause: FieldCheck = oneOf(
  "no-agent",
  "no-module",
  "no-secret",
  "address-refused",
  "attempts-lost",
  "journal-limit",
);
const wait: FieldCheck = union({
  signal: { signal: text, expiresAt: optional(integer) },
  timer: { dueAt: integer },
  approval: {
    quorum: index,
    by: optional(listField(text)),
    message: optional(text),
    needsAnswer: optional((field) => field === true),
    expiresAt: optional(integer),
  },
});
/** A map has as many items as its list. A stored list has at least two bytes for each of them. */
const hasItems: FieldCheck = (children) => {
  if (!isJsonObject(children) || children["kind"] !== "items") return true;
  const { count, items } = children;
  if (!isJsonObject(items ?? null)) return false;
  const { kind, json, bytes } = items as JsonObject;
  if (kind === "inline") return isJsonArray(json ?? null) && (json as readonly Json[]).length === count;
  return kind !== "stored" || Number(count) * 2 <= Math.min(Number(bytes), VALUE_BYTES_MAX) + 1;
};
const expansion: FieldCheck = union({
  items: { count: index, items: value },
  iteration: {},
  workflow: { definition: text, input: value },
  steps: { steps: listField(record({ id: text, action: anything })), result: optional(text) },
});
const secretPaths: FieldCheck = listField(
  record({ secret: text, path: listField((part) => typeof part === "string" || index(part)) }),
);

const artifacts: FieldCheck = listField(
  record({ path: text, hash: (hash) => typeof hash === "string" && /^[0-9a-f]{64}$/u.test(hash), bytes: index }),
);

/** The fields of each kind, beside `v`, `seq`, `at` and `kind`. Typed by the union, so that no event can be forgotten. */
const FIELDS: Readonly<Record<EventKind, Readonly<Record<string, FieldCheck>>>> = {
  "execution.created": {
    execution: text,
    definition: text,
    workflow: text,
    input: value,
    seed: integer,
    correlationId: text,
    workflows: optional(listField(record({ workflow: text, definition: text }))),
    priority: optional(number),
    key: optional(text),
    labels: optional((field) => isJsonObject(field) && Object.values(field).every(text)),
    traceparent: optional(text),
  },
  "execution.validating": {},
  "execution.started": { deadline: optional(integer) },
  "execution.paused": { by: optional(text) },
  "execution.parked": { cause: parkCause, reason: text, step: optional(index) },
  "execution.resumed": { by: optional(text) },
  "execution.failing": { failure, step: optional(index) },
  "execution.cancelling": { mode: oneOf("abort", "drain"), reason: text, grace: integer, compensate: flag },
  "execution.compensating": { steps: indexes, by: optional(text) },
  "execution.completed": { output: value },
  "execution.failed": { failure, step: optional(index), notUndone: optional(indexes) },
  "execution.cancelled": { reason: text, notUndone: optional(indexes) },
  "execution.reopened": {
    round: integer,
    deadline: optional(integer),
    by: optional(text),
    only: optional(oneOf("tolerated")),
  },
  "step.started": {
    step: index,
    attempt: integer,
    epoch: integer,
    call: optional(value),
    secrets: optional(secretPaths),
    deadline: optional(integer),
    worker: optional(text),
  },
  "step.completed": {
    step: index,
    output: value,
    signal: optional(text),
    isLast: optional((field) => field === true),
    artifacts: optional(artifacts),
  },
  "step.recorded": { step: index, epoch: integer, name: text, key: optional(text), startedAt: integer, value },
  "step.retried": { step: index, failure, dueAt: integer },
  "step.failed": { step: index, failure },
  "step.skipped": { step: index, reason: skipReason },
  "step.suspended": { step: index, wait },
  "step.expanded": {
    step: index,
    children: (field) => expansion(field) && hasItems(field),
    deadline: optional(integer),
  },
  "step.repeated": { step: index, iteration: index },
  "step.failing": { step: index, failure, child: optional(index) },
  "step.overdue": { step: index, failure, forceAt: integer },
  "step.lost": { step: index, reason: text, graceful: optional((field) => field === true) },
  "step.cancelled": { step: index, ended: oneOf("itself", "by-force"), reason: text, failure: optional(failure) },
  "steps.skipped": { steps: ranges, reason: skipReason },
  "steps.cancelled": { steps: ranges, reason: text },
  "steps.cancelling": { steps: ranges, reason: text, forceAt: integer },
  "signal.received": { id: text, name: text, payload: value },
  "signal.refused": { id: text, step: index, failure },
  "approval.voted": {
    step: index,
    id: text,
    by: text,
    verdict: oneOf("approve", "reject", "changes"),
    comment: optional(text),
    answer: optional(value),
  },
  "approval.refused": { step: index, id: text, by: text, failure },
};

export const EVENT_KINDS: readonly EventKind[] = Object.keys(FIELDS) as EventKind[];

const FIELDS_BY_KIND: ReadonlyMap<string, Fields> = new Map(
  Object.entries(FIELDS).map(([kind, fields]) => [kind, Object.entries(fields)]),
);

export function readEvent(row: Json, upcasting: Upcasting = UPCASTING): ReadResult {
  if (!isJsonObject(row)) return { kind: "unreadable", message: "the row is not an object" };
  const upcasted = upcast(row, upcasting);
  if (upcasted.kind !== "row") return upcasted;
  const problem = findProblem(upcasted.row);
  return problem === undefined
    ? { kind: "event", event: upcasted.row as unknown as Event }
    : { kind: "unreadable", message: problem };
}

/** Whether an event can be read back. An event that cannot must never be written, because no event after it could be read. */
export function isReadable(event: Event): boolean {
  return findProblem(event as unknown as JsonObject) === undefined;
}

function findProblem(row: JsonObject): string | undefined {
  const kind = row["kind"];
  const fields = typeof kind === "string" ? FIELDS_BY_KIND.get(kind) : undefined;
  if (typeof kind !== "string" || fields === undefined) return `there is no event ${JSON.stringify(kind ?? null)}`;
  if (!index(row["seq"]) || !integer(row["at"])) return `${kind} has no sequence number or no time`;
  for (const [field, check] of fields) {
    if (!check(row[field]))
      return `${kind} has a wrong \`${field}\`: ${JSON.stringify(row[field] ?? null).slice(0, 80)}`;
  }
  return undefined;
}

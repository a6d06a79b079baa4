// Reading a row back: upcast, check its shape, refuse what is not an event.
//
// A journal is read by code that trusts it, so a damaged row must be found here and nowhere later (JOURNAL-6).

import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Event, EventKind } from "./event.ts";
import { upcast, UPCASTING, type Upcasting } from "./upcast.ts";

export type ReadResult =
  | { readonly kind: "event"; readonly event: Event }
  | { readonly kind: "unreadable"; readonly message: string };

type Check = (value: Json | undefined) => boolean;

const text: Check = (value) => typeof value === "string";
const integer: Check = (value) => typeof value === "number" && Number.isInteger(value);
const index: Check = (value) => integer(value) && (value as number) >= 0;
const flag: Check = (value) => typeof value === "boolean";
const object: Check = (value) => isJsonObject(value);
const tagged: Check = (value) => isJsonObject(value) && typeof value["kind"] === "string";
const failure: Check = (value) =>
  isJsonObject(value) && text(value["class"]) && text(value["code"]) && text(value["message"]);
const indexes: Check = (value) => isJsonArray(value) && value.every(index);
const ranges: Check = (value) =>
  isJsonArray(value) && value.every((range) => isJsonArray(range) && range.length === 2 && range.every(index));
const list: Check = (value) => isJsonArray(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** The fields of each kind, beside `v`, `seq`, `at` and `kind`. Typed by the union, so a new event cannot be forgotten. */
const FIELDS: Readonly<Record<EventKind, Readonly<Record<string, Check>>>> = {
  "execution.created": {
    execution: text,
    definition: text,
    workflow: text,
    input: tagged,
    seed: integer,
    correlationId: text,
  },
  "execution.validating": {},
  "execution.started": { deadline: optional(integer) },
  "execution.paused": { by: optional(text) },
  "execution.parked": { reason: text, step: optional(index) },
  "execution.resumed": { by: optional(text) },
  "execution.failing": { failure, step: optional(index) },
  "execution.cancelling": { mode: text, reason: text, grace: integer, compensate: flag },
  "execution.compensating": { steps: indexes },
  "execution.completed": { output: tagged },
  "execution.failed": { failure, step: optional(index), notUndone: optional(indexes) },
  "execution.cancelled": { reason: text, notUndone: optional(indexes) },
  "execution.reopened": { round: integer, deadline: optional(integer), by: optional(text) },
  "step.started": {
    step: index,
    attempt: integer,
    epoch: integer,
    call: optional(tagged),
    secrets: optional(list),
    deadline: optional(integer),
    where: optional(text),
  },
  "step.completed": { step: index, output: tagged, signal: optional(text) },
  "step.retried": { step: index, failure, dueAt: integer },
  "step.failed": { step: index, failure },
  "step.skipped": { step: index, reason: tagged },
  "step.suspended": { step: index, wait: tagged },
  "step.expanded": { step: index, children: tagged },
  "step.failing": { step: index, failure, child: index },
  "step.lost": { step: index, reason: text },
  "step.cancelled": { step: index, ended: text, failure: optional(object) },
  "steps.skipped": { steps: ranges, reason: tagged },
  "steps.cancelled": { steps: ranges, reason: text },
  "steps.cancelling": { steps: ranges, reason: text, forceAt: integer },
  "signal.received": { id: text, name: text, payload: tagged },
  "signal.refused": { id: text, step: index, failure },
  "approval.voted": { step: index, id: text, by: text, verdict: text, comment: optional(text) },
};

export const EVENT_KINDS: readonly EventKind[] = Object.keys(FIELDS) as EventKind[];

export function readEvent(row: Json, upcasting: Upcasting = UPCASTING): ReadResult {
  if (!isJsonObject(row)) return { kind: "unreadable", message: "the row is not an object" };
  const raised = upcast(row, upcasting);
  if (raised.kind === "unreadable") return raised;
  const trouble = troubleOf(raised.row);
  return trouble === undefined
    ? { kind: "event", event: raised.row as unknown as Event }
    : { kind: "unreadable", message: trouble };
}

function troubleOf(row: JsonObject): string | undefined {
  const kind = row["kind"];
  if (typeof kind !== "string" || !Object.hasOwn(FIELDS, kind))
    return `there is no event ${JSON.stringify(kind ?? null)}`;
  if (!index(row["seq"]) || !integer(row["at"])) return `${kind} has no sequence number or no time`;
  for (const [field, check] of Object.entries(FIELDS[kind as EventKind])) {
    if (!check(row[field]))
      return `${kind} has a wrong \`${field}\`: ${JSON.stringify(row[field] ?? null).slice(0, 80)}`;
  }
  return undefined;
}

// The coverage that golden journals need beyond the kinds of events: optional fields, and the members of unions. A new
// member of a union needs a line here.

import type { Event, Json, JsonObject } from "@segno/kernel";

/** Fields whose values are members of a union. */
const WORDS: ReadonlySet<string> = new Set(["kind", "mode", "ended", "verdict", "class"]);

/** Fields with user data, which are not inspected. */
const OPAQUE: ReadonlySet<string> = new Set(["json", "steps", "action"]);

/** Every field of an event with its path, and its value if that is a member of a union. */
export function readTraces(event: Event): readonly string[] {
  return walk(event.kind, event as unknown as JsonObject);
}

function walk(way: string, object: JsonObject): readonly string[] {
  return Object.entries(object).flatMap(([field, value]) => [
    `${way} ${field}`,
    ...inside(`${way} ${field}`, field, value),
  ]);
}

function inside(way: string, field: string, value: Json): readonly string[] {
  if (WORDS.has(field)) return [`${way}=${value as string}`];
  return isPlain(value) && !OPAQUE.has(field) ? walk(way, value) : [];
}

function isPlain(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const MUST_OCCUR: readonly string[] = [
  "execution.started deadline",
  "execution.paused by",
  "execution.resumed by",
  "execution.parked step",
  "execution.failing step",
  "execution.cancelling mode=abort",
  "execution.cancelling mode=drain",
  "execution.compensating by",
  "execution.failed step",
  "execution.failed notUndone",
  "execution.cancelled notUndone",
  "execution.reopened deadline",
  "execution.reopened by",
  "execution.reopened only",
  "execution.created labels",
  "step.failed failure stack",
  "step.failed failure cause stack",
  "step.failed failure cause name",
  "execution.created input kind=inline",
  "execution.completed output kind=inline",
  "step.started call kind=inline",
  "step.started secrets",
  "step.started deadline",
  "step.started worker",
  "step.completed output kind=inline",
  "step.completed output kind=stored",
  "step.completed output kind=gathered",
  "step.completed signal",
  "step.completed isLast",
  "step.retried failure class=transient",
  "step.retried failure class=timeout",
  "step.retried failure status",
  "step.retried failure retryAfter",
  "step.retried failure cause",
  "step.failed failure class=permanent",
  "step.failed failure class=timeout",
  "step.failed failure path",
  "step.skipped reason kind=condition",
  "step.skipped reason kind=skipped-by-handler",
  "steps.skipped reason kind=dependency-failed",
  "steps.skipped reason kind=fallback-unused",
  "steps.skipped reason kind=failing",
  "step.suspended wait kind=signal",
  "step.suspended wait kind=timer",
  "step.suspended wait kind=approval",
  "step.suspended wait by",
  "step.suspended wait message",
  "step.suspended wait expiresAt",
  "step.expanded children kind=items",
  "step.expanded children kind=iteration",
  "step.expanded children kind=workflow",
  "step.expanded children kind=steps",
  "step.expanded children result",
  "step.cancelled ended=itself",
  "step.cancelled ended=by-force",
  "step.cancelled failure class=cancelled",
  "approval.voted verdict=approve",
  "approval.voted verdict=reject",
  "approval.voted verdict=changes",
  "approval.voted comment",
  "approval.voted answer kind=inline",
  "step.suspended wait needsAnswer",
];

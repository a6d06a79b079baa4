// The chain: the data that is hashed to make a journal tamper-evident (JOURNAL-4).
//
// Job: the form of an event that is hashed, and the check that rows follow each other.
// Not its job: hashing. The kernel has no crypto; the caller passes `hashOf`.
//
//   H1. A value counts by its hash, inline or not, so a payload can be moved, encrypted or deleted and the chain still verifies.
//   H2. The form is the same for an inline value and for a stored one.

import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { ContentHash } from "../model/units.ts";
import type { Value } from "../model/value.ts";
import type { Event } from "./event.ts";

/** Fields that hold a `Value`: of an event, and of the record of its children. */
const VALUE_FIELDS: ReadonlySet<string> = new Set(["input", "output", "call", "payload", "items", "value", "answer"]);

/** The event with each value replaced by its hash. */
export function chainForm(event: Event, hashOf: (json: Json) => ContentHash): JsonObject {
  return replaceValues(event as unknown as JsonObject, (value) => valueHash(value, hashOf));
}

/**
 * The event with each value replaced. A value is known by its field: data of users may have the same shape. A field that a
 * damaged row has instead of a value stays.
 */
export function replaceValues(event: JsonObject, replace: (value: Value) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(event).map(([key, field]) => {
      if (!isJsonObject(field)) return [key, field];
      if (VALUE_FIELDS.has(key)) return [key, replace(field as unknown as Value)];
      return [key, key === "children" ? replaceValues(field, replace) : field];
    }),
  );
}

function valueHash(value: Value, hashOf: (json: Json) => ContentHash): string {
  switch (value.kind) {
    case "inline":
      return hashOf(value.json);
    case "stored":
      return value.hash;
    case "gathered":
      return "gathered";
  }
}

/** Why `event` cannot follow a row with this sequence number and time; undefined if it can. */
export function findBreak(previous: { readonly seq: number; readonly at: number }, event: Event): string | undefined {
  if (event.seq !== previous.seq + 1) return `sequence ${event.seq} follows ${previous.seq}`;
  if (event.at < previous.at) return `time ${event.at} follows ${previous.at}`;
  return undefined;
}

// Values by reference: large values are stored beside the journal, and an event holds only their hash (JOURNAL-4).

import type { Json } from "./json.ts";
import type { ContentHash } from "./units.ts";

/** A value of an execution: in the journal, beside it, or gathered from the outputs of a scope. */
export type Value = InlineValue | StoredValue | GatheredValue;

/** A value that stands in the journal itself. */
export interface InlineValue {
  readonly kind: "inline";
  readonly json: Json;
}

/** A value that stands beside the journal, by its hash. */
export interface StoredValue {
  readonly kind: "stored";
  readonly hash: ContentHash;
  readonly bytes: number;
}

/** The result of a scope as the list of its children's outputs: it is read from the children and never written again. */
export interface GatheredValue {
  readonly kind: "gathered";
}

/** A larger value is stored beside the journal. */
export const INLINE_BYTES_MAX = 65_536;
/** A larger value fails the step that returned it. */
export const VALUE_BYTES_MAX = 10_485_760;

export const NULL_VALUE: Value = Object.freeze({ kind: "inline", json: null });

/** Wraps JSON as a value that stands in the journal itself. */
export function inlineValue(json: Json): InlineValue {
  return { kind: "inline", json };
}

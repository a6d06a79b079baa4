// The stored values that `decide` may read, and the check of a value against a schema. Both are pure: the same question
// has the same answer during a whole decision.

import type { JsonSchema } from "../model/definition.ts";
import type { Json } from "../model/json.ts";
import type { ContentHash } from "../model/units.ts";

/** The values and the schema check that `decide` needs. Both functions must be pure. */
export interface StoredValues {
  /** A stored value, or undefined if it is not loaded: `decide` then returns `needs`. */
  value(hash: ContentHash): Json | undefined;
  /** The mismatches; none if the value fits. */
  checkSchema(schema: JsonSchema, value: Json): readonly SchemaMismatch[];
}

/** A part of a value that does not match its schema. */
export interface SchemaMismatch {
  /** The position of the part in the value. */
  readonly path: string;
  readonly message: string;
}

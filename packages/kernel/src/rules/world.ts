// The world as `decide` may ask about it. Pure: the same question has the same answer for the whole of a decision.

import type { JsonSchema } from "../model/definition.ts";
import type { Json } from "../model/json.ts";
import type { ContentHash } from "../model/units.ts";

export interface World {
  /** A stored value, or nothing when it is not loaded: `decide` then answers `needs`. */
  value(hash: ContentHash): Json | undefined;
  /** What does not fit; nothing when the value fits. */
  check(schema: JsonSchema, value: Json): readonly SchemaMismatch[];
}

export interface SchemaMismatch {
  readonly path: string;
  readonly message: string;
}

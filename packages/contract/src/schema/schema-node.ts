// A compiled schema: its keywords as functions, in the order in which they are applied.
//
//   N1. Every application of a schema to a value costs fuel.
//   N2. If the caller wants mismatches, every keyword is applied. If it wants only the verdict, the first mismatch ends the check.
//   N3. The depth is counted and limited, because a stack overflow could happen in the middle of any operation.
//   N4. `unevaluatedProperties` and `unevaluatedItems` know which parts the other keywords of their schema evaluated, and the
//       schemas that those keywords applied to the same value. This is recorded only if a schema has such a keyword.

import type { Json } from "@segno/kernel";

import type { EqualityKeys } from "./equality-keys.ts";
import type { Evaluated } from "./evaluated.ts";
import type { MapKeys } from "./map-keys.ts";
import { locationInside, type Mismatches, type InstanceLocation } from "./mismatches.ts";
import type { SchemaFuel } from "./schema-fuel.ts";
import { SchemaTooDeep } from "./schema-too-deep.ts";

/** One schema applied to one value. */
export interface SchemaVisit {
  readonly fuel: SchemaFuel;
  readonly equality: EqualityKeys;
  readonly keys: MapKeys;
  /** How many schemas are being applied outside of this one. */
  readonly depth: number;
  readonly location: InstanceLocation | undefined;
  /** Absent if the caller wants only the verdict. */
  readonly mismatches: Mismatches | undefined;
  /** Absent if no keyword needs it (N4). */
  readonly evaluated: Evaluated | undefined;
}

/** Whether the value fits. */
export type Keyword = (value: Json, visit: SchemaVisit) => boolean;

export interface SchemaNode {
  readonly keywords: readonly Keyword[];
}

/** Far more than a realistic schema needs, and far below the size of the stack. */
const DEPTH_MAX = 1000;

export function apply({ keywords }: SchemaNode, value: Json, visit: SchemaVisit): boolean {
  visit.fuel.spend(1);
  if (visit.depth > DEPTH_MAX)
    throw new SchemaTooDeep(`the value cannot be checked: schemas are applied ${DEPTH_MAX} levels deep here`);
  const { mismatches } = visit;
  let fits = true;
  for (const keyword of keywords) {
    if (keyword(value, visit)) continue;
    fits = false;
    if (mismatches === undefined || mismatches.isFull) return false;
  }
  return fits;
}

/** Records a mismatch and returns false. */
export function refuse({ mismatches, location }: SchemaVisit, message: string, key?: string | number): false {
  if (mismatches === undefined) return false;
  mismatches.add(key === undefined ? location : locationInside(location, key), message);
  return false;
}

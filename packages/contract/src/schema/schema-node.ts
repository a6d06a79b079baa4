// A schema made ready to be applied: its keywords as functions, in the order in which they speak.
//
//   N1. Applying a schema to a value costs fuel, whoever asks for it.
//   N2. Where mismatches are wanted, every keyword speaks. Where only the verdict is, the first that refuses ends it.
//   N3. Depth is counted. An overflow of the stack could happen anywhere, also where something is half done.
//   N4. `unevaluatedProperties` and `unevaluatedItems` see what the other keywords of their schema, and the schemas that
//       those applied to the same value, have looked at. That is kept only where a schema has such a keyword.

import type { Json } from "@segno/kernel";

import type { CanonicalTexts } from "./canonical-text.ts";
import type { Evaluated } from "./evaluated.ts";
import type { Mismatches, InstanceLocation } from "./mismatches.ts";
import type { SchemaFuel } from "./schema-fuel.ts";

/** One schema applied to one value. */
export interface SchemaVisit {
  readonly fuel: SchemaFuel;
  readonly texts: CanonicalTexts;
  /** How many schemas are being applied around this one. */
  readonly depth: number;
  readonly place: InstanceLocation | undefined;
  /** Nothing where only the verdict counts. */
  readonly mismatches: Mismatches | undefined;
  /** Nothing where nobody asks for it. */
  readonly evaluated: Evaluated | undefined;
}

/** Whether the value fits. */
export type Keyword = (value: Json, visit: SchemaVisit) => boolean;

export interface SchemaNode {
  readonly keywords: readonly Keyword[];
}

/** Far beyond what schemas for people need, and far from the end of the stack. */
const DEPTH_MAX = 1000;

export class SchemaTooDeep extends Error {
  override readonly name: string = "SchemaTooDeep";
}

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

/** Says no, and why. */
export function refuse({ mismatches, place }: SchemaVisit, message: string, key?: string | number): false {
  if (mismatches === undefined) return false;
  mismatches.add(key === undefined ? place : { around: place, key }, message);
  return false;
}

// Shapes: the knowledge about a value before anything runs.
//
// Job: a small algebra over which expressions are checked. Every shape also allows null, because any value may be missing.
// Not its job: validating values. A shape says only what is impossible.

import type { JsonSchema } from "../../model/definition.ts";
import { isJsonArray, type Json } from "../../model/json.ts";

export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export type Shape =
  | { readonly kind: "unknown" }
  /** `root` is the document in which the references of the schema are resolved. */
  | { readonly kind: "schema"; readonly schema: JsonSchema; readonly root: JsonSchema }
  | { readonly kind: "types"; readonly types: readonly JsonType[] }
  | { readonly kind: "values"; readonly values: readonly Json[] }
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "list"; readonly item: Shape }
  | ObjectShape
  | { readonly kind: "some"; readonly parts: readonly Shape[] }
  | { readonly kind: "all"; readonly parts: readonly Shape[] };

/** The answer for a name or for the items of a shape. */
export type ShapeLookup =
  | { readonly kind: "found"; readonly shape: Shape }
  /** The field can never exist; these are the names that can. */
  | { readonly kind: "absent"; readonly names: () => readonly string[]; readonly code: ObjectShape["code"] }
  /** The schema has no names to compare with. */
  | { readonly kind: "silent" }
  /** The value never has fields or items. */
  | { readonly kind: "impossible" };

export interface ObjectShape {
  readonly kind: "object";
  readonly code: "UNKNOWN_FIELD" | "UNKNOWN_VARIABLE";
  /** Undefined if the object can never have that field. */
  readonly field: (name: string) => Shape | undefined;
  readonly names: () => readonly string[];
}

export const UNKNOWN: Shape = Object.freeze({ kind: "unknown" });
export const BOOLEAN: Shape = typesShape("boolean");
export const NUMBER: Shape = typesShape("number");
export const INTEGER: Shape = typesShape("integer");
export const STRING: Shape = typesShape("string");

function typesShape(...types: readonly JsonType[]): Shape {
  return { kind: "types", types };
}

export function schemaShape(schema: JsonSchema | undefined): Shape {
  return schema === undefined || typeof schema === "boolean" ? UNKNOWN : { kind: "schema", schema, root: schema };
}

export function listShape(item: Shape): Shape {
  return { kind: "list", item };
}

export function valuesShape(values: readonly Json[]): Shape {
  return { kind: "values", values };
}

/** An object with exactly these fields. */
export function recordShape(fields: Readonly<Record<string, Shape>>): ObjectShape {
  return {
    kind: "object",
    code: "UNKNOWN_FIELD",
    field: (name) => (Object.hasOwn(fields, name) ? fields[name] : undefined),
    names: () => Object.keys(fields),
  };
}

/** An object whose other fields are unknown. */
export function openShape(field: (name: string) => Shape | undefined): ObjectShape {
  return { kind: "object", code: "UNKNOWN_FIELD", field: (name) => field(name) ?? UNKNOWN, names: () => [] };
}

export function unionShape(parts: readonly Shape[]): Shape {
  if (parts.some(({ kind }) => kind === "unknown")) return UNKNOWN;
  return parts.length === 1 ? parts[0]! : { kind: "some", parts };
}

export function intersectionShape(parts: readonly Shape[]): Shape {
  const known = parts.filter(({ kind }) => kind !== "unknown");
  if (known.length === 0) return UNKNOWN;
  return known.length === 1 ? known[0]! : { kind: "all", parts: known };
}

export function typeOf(value: Json): JsonType {
  if (value === null) return "null";
  if (isJsonArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as "boolean" | "string" | "object";
}

/** Whether a value of one type may also be of the other: an integer is a number, and a number may be an integer. */
export function isCompatible(a: JsonType, b: JsonType): boolean {
  return a === b || (isNumeric(a) && isNumeric(b));
}

function isNumeric(type: JsonType): boolean {
  return type === "integer" || type === "number";
}

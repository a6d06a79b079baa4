// The text of a shape in a message: the possible values if they are listed, else the types.

import type { JsonSchema } from "../../model/definition.ts";
import { isJsonArray, type Json } from "../../model/json.ts";
import { schemaParts } from "./schema-parts.ts";
import { tryPay, type ShapeFuel } from "./shape-budget.ts";
import type { JsonType, Shape } from "./shape.ts";

const VALUES_MAX = 10;
const NOUNS: Readonly<Record<JsonType, string>> = {
  null: "null",
  boolean: "a boolean",
  integer: "an integer",
  number: "a number",
  string: "a string",
  array: "a list",
  object: "an object",
};

export function expectedText(shape: Shape, fuel: ShapeFuel): string {
  const values = possibleValues(shape, fuel);
  if (values !== undefined && values.length > 0) return valuesText(values);
  const types = possibleTypes(shape, fuel);
  return types === undefined || types.length === 0 ? "another value" : types.map((type) => NOUNS[type]).join(" or ");
}

function valuesText(values: readonly Json[]): string {
  const shown = values.slice(0, VALUES_MAX).map(literalText).join(", ");
  if (values.length === 1) return shown;
  return values.length > VALUES_MAX ? `one of ${shown}, …` : `one of ${shown}`;
}

/** The value as an expression would write it, without the backticks, which a message cannot nest. */
export function literalText(value: Json): string {
  return typeof value === "string" ? `'${value}'` : (JSON.stringify(value) ?? "null");
}

export function possibleValues(shape: Shape, fuel: ShapeFuel): readonly Json[] | undefined {
  if (shape.kind === "values") return shape.values;
  return combine(shape, fuel, possibleValues, (own) => {
    if (own["const"] !== undefined) return [own["const"]];
    return isJsonArray(own["enum"]) ? own["enum"] : undefined;
  });
}

function possibleTypes(shape: Shape, fuel: ShapeFuel): readonly JsonType[] | undefined {
  if (shape.kind === "types") return shape.types;
  if (shape.kind === "list") return ["array"];
  if (shape.kind === "object") return ["object"];
  return combine(shape, fuel, possibleTypes, ({ type }) => {
    if (type === undefined) return undefined;
    return (isJsonArray(type) ? type : [type]).filter((each): each is JsonType => typeof each === "string");
  });
}

type ShapeQuery<Found> = (shape: Shape, fuel: ShapeFuel) => readonly Found[] | undefined;
type SchemaQuery<Found> = (own: Exclude<JsonSchema, boolean>) => readonly Found[] | undefined;

function combine<Found>(
  shape: Shape,
  fuel: ShapeFuel,
  query: ShapeQuery<Found>,
  querySchema: SchemaQuery<Found>,
): readonly Found[] | undefined {
  if ((shape.kind === "some" || shape.kind === "all") && !tryPay(shape.parts, fuel)) return undefined;
  if (shape.kind === "some") return union(shape.parts.map((part) => query(part, fuel)));
  if (shape.kind === "all") return firstKnown(shape.parts.map((part) => query(part, fuel)));
  if (shape.kind !== "schema" || typeof shape.schema === "boolean") return undefined;
  const { root } = shape;
  const inner = (schema: JsonSchema): readonly Found[] | undefined => query({ kind: "schema", schema, root }, fuel);
  const { own, all, alternatives } = schemaParts(shape.schema, root, fuel);
  return firstKnown([querySchema(own), ...all.map(inner), ...alternatives.map((choices) => union(choices.map(inner)))]);
}

function firstKnown<Found>(results: readonly (readonly Found[] | undefined)[]): readonly Found[] | undefined {
  return results.find((result) => result !== undefined);
}

function union<Found>(results: readonly (readonly Found[] | undefined)[]): readonly Found[] | undefined {
  return results.includes(undefined) ? undefined : results.flatMap((result) => result ?? []);
}

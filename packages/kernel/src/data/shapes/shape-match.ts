// Whether a value of a shape can ever equal a literal, or have a type.

import type { JsonSchema } from "../../model/definition.ts";
import { isJsonArray, type Json } from "../../model/json.ts";
import { schemaParts } from "./schema-parts.ts";
import { tryPay, type ShapeFuel } from "./shape-budget.ts";
import { isCompatible, typeOf, type JsonType, type Shape } from "./shape.ts";

interface ShapeTest {
  readonly value: (value: Json) => boolean;
  readonly type: (type: JsonType) => boolean;
}

export function mayEqual(shape: Shape, literal: Json, fuel: ShapeFuel): boolean {
  const type = typeOf(literal);
  return mayPass(shape, { value: (value) => isSame(value, literal), type: (each) => mayHold(each, type) }, fuel);
}

/** Null is ignored: every shape allows it. */
export function mayBeOfType(shape: Shape, type: JsonType, fuel: ShapeFuel): boolean {
  const isOfType = (each: JsonType): boolean => isCompatible(each, type);
  return mayPass(shape, { value: (value) => isOfType(typeOf(value)), type: isOfType }, fuel);
}

/** An integer is allowed for a number; a fraction is never allowed for an integer. */
function mayHold(declared: JsonType, literal: JsonType): boolean {
  return declared === literal || (declared === "number" && literal === "integer");
}

/** Lists and objects are not compared in depth: two of the same type may be equal. */
function isSame(a: Json, b: Json): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  return isJsonArray(a) === isJsonArray(b);
}

function mayPass(shape: Shape, test: ShapeTest, fuel: ShapeFuel): boolean {
  switch (shape.kind) {
    case "unknown":
      return true;
    case "schema":
      return mayFit(shape.schema, shape.root, test, fuel);
    case "types":
      return shape.types.some(test.type);
    case "values":
      return shape.values.some(test.value);
    case "literal":
      return test.value(shape.value);
    case "list":
      return test.type("array");
    case "object":
      return test.type("object");
    case "some":
      return !tryPay(shape.parts, fuel) || shape.parts.some((part) => mayPass(part, test, fuel));
    case "all":
      return !tryPay(shape.parts, fuel) || shape.parts.every((part) => mayPass(part, test, fuel));
  }
}

/** `false` counts as an unsupported schema: that no value fits it is not a problem of expressions. */
function mayFit(schema: JsonSchema, root: JsonSchema, test: ShapeTest, fuel: ShapeFuel): boolean {
  if (typeof schema === "boolean") return true;
  const { own, all, alternatives } = schemaParts(schema, root, fuel);
  if (!mayFitType(own["type"], test)) return false;
  if (own["const"] !== undefined && !test.value(own["const"])) return false;
  if (isJsonArray(own["enum"]) && !mayFitEnum(own["enum"], test, fuel)) return false;
  if (!all.every((each) => mayFit(each, root, test, fuel))) return false;
  return alternatives.every((choices) => choices.some((each) => mayFit(each, root, test, fuel)));
}

function mayFitType(type: Json | undefined, test: ShapeTest): boolean {
  if (type === undefined) return true;
  return (isJsonArray(type) ? type : [type]).some((each) => test.type(each as JsonType));
}

function mayFitEnum(values: readonly Json[], test: ShapeTest, fuel: ShapeFuel): boolean {
  if (values.length > fuel.left) return true;
  fuel.left -= values.length;
  return values.some(test.value);
}

// The shape of a field, or of the items, of a value with a given shape.
//
// A schema with `properties` counts as complete unless it says `additionalProperties: true` or otherwise leaves names open: an
// undeclared name is usually a typing error. A schema that declares no names gives no information.

import type { JsonSchema } from "../../model/definition.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isSchema } from "./local-reference.ts";
import { schemaParts } from "./schema-parts.ts";
import { tryPay, type ShapeFuel } from "./shape-budget.ts";
import { mayBeOfType } from "./shape-match.ts";
import {
  intersectionShape,
  unionShape,
  typeOf,
  UNKNOWN,
  type ShapeLookup,
  type ObjectShape,
  type Shape,
} from "./shape.ts";

type SchemaShape = Extract<Shape, { kind: "schema" }>;

const SILENT: ShapeLookup = Object.freeze({ kind: "silent" });
const OPEN: ShapeLookup = Object.freeze({ kind: "found", shape: UNKNOWN });
const IMPOSSIBLE: ShapeLookup = Object.freeze({ kind: "impossible" });
const NAMES_MAX = 200;
const NO_PROPERTIES: JsonObject = Object.freeze({});

export function lookUpField(shape: Shape, name: string, fuel: ShapeFuel): ShapeLookup {
  switch (shape.kind) {
    case "unknown":
      return OPEN;
    case "schema":
      return memoize(shape, `.${name}`, fuel, () => schemaField(shape.schema, shape.root, name, fuel));
    case "types":
    case "values":
    case "list":
      return mayBeOfType(shape, "object", fuel) ? OPEN : IMPOSSIBLE;
    case "literal":
      return literalField(shape.value, name);
    case "object":
      return objectField(shape, name);
    case "some":
      return tryPay(shape.parts, fuel) ? unionLookup(shape.parts.map((part) => lookUpField(part, name, fuel))) : OPEN;
    case "all":
      return tryPay(shape.parts, fuel)
        ? intersectionLookup(shape.parts.map((part) => lookUpField(part, name, fuel)))
        : OPEN;
  }
}

/** SB-2: the first answer that was not cut short is cached. */
function memoize({ schema, root }: SchemaShape, key: string, fuel: ShapeFuel, ask: () => ShapeLookup): ShapeLookup {
  if (typeof schema === "boolean") return SILENT;
  const known = fuel.memory.lookup(root, schema, key);
  if (known !== undefined) return known;
  const lookup = ask();
  if (fuel.left > 0) fuel.memory.keepLookup(root, schema, key, lookup);
  return lookup;
}

function objectField(shape: ObjectShape, name: string): ShapeLookup {
  const field = shape.field(name);
  if (field !== undefined) return { kind: "found", shape: field };
  return { kind: "absent", names: () => shape.names().slice(0, NAMES_MAX), code: shape.code };
}

function literalField(value: Json, name: string): ShapeLookup {
  if (!isJsonObject(value)) return value === null ? OPEN : IMPOSSIBLE;
  return Object.hasOwn(value, name) ? { kind: "found", shape: { kind: "literal", value: value[name]! } } : OPEN;
}

function schemaField(schema: JsonSchema, root: JsonSchema, name: string, fuel: ShapeFuel): ShapeLookup {
  if (typeof schema === "boolean") return SILENT;
  const { own, all, alternatives, isPartial } = schemaParts(schema, root, fuel);
  if (isPartial) return OPEN;
  return intersectionLookup([
    ownField(own, root, name),
    ...all.map((each) => schemaField(each, root, name, fuel)),
    ...alternatives.map((choices) => unionLookup(choices.map((each) => schemaField(each, root, name, fuel)))),
  ]);
}

/** Keywords that can add names from elsewhere. */
const OPENING = ["patternProperties", "if", "dependentSchemas", "dependencies", "unevaluatedProperties"];

function ownField(own: JsonObject, root: JsonSchema, name: string): ShapeLookup {
  if (!allowsType(own, "object")) return IMPOSSIBLE;
  const { properties, additionalProperties: additional, required } = own;
  const declared = isJsonObject(properties) ? properties : NO_PROPERTIES;
  if (Object.hasOwn(declared, name)) return foundSchema(declared[name], root);
  if (isJsonArray(required) && mayInclude(required, name)) return OPEN;
  if (additional === false && own["patternProperties"] === undefined) return absent(declared);
  if (additional !== undefined && additional !== false) return foundSchema(additional, root);
  if (OPENING.some((keyword) => own[keyword] !== undefined)) return OPEN;
  return propertyNames(declared).length > 0 ? absent(declared) : SILENT;
}

/** A long list is not searched, because every expression of a document may query it. */
function mayInclude(required: readonly Json[], name: string): boolean {
  return required.length > NAMES_MAX || required.includes(name);
}

const NAMES = new WeakMap<JsonObject, readonly string[]>();

/** The first names of an object, computed once. */
function propertyNames(object: JsonObject): readonly string[] {
  const known = NAMES.get(object);
  if (known !== undefined) return known;
  const names = Object.keys(object).slice(0, NAMES_MAX);
  NAMES.set(object, names);
  return names;
}

function absent(declared: JsonObject): ShapeLookup {
  return { kind: "absent", names: () => propertyNames(declared), code: "UNKNOWN_FIELD" };
}

function foundSchema(schema: Json | undefined, root: JsonSchema): ShapeLookup {
  if (!isSchema(schema) || typeof schema === "boolean") return OPEN;
  return { kind: "found", shape: { kind: "schema", schema, root } };
}

function allowsType(own: JsonObject, type: "object" | "array"): boolean {
  const { type: declared, const: only, enum: values } = own;
  if (only !== undefined && typeOf(only) !== type) return false;
  if (isJsonArray(values) && values.length <= NAMES_MAX && !values.some((each) => typeOf(each) === type)) return false;
  if (declared === undefined) return true;
  return isJsonArray(declared) ? declared.includes(type) : declared === type;
}

/** For parts that all hold. */
function intersectionLookup(lookups: readonly ShapeLookup[]): ShapeLookup {
  if (lookups.some(({ kind }) => kind === "impossible")) return IMPOSSIBLE;
  const shapes = lookups.flatMap((each) => (each.kind === "found" ? [each.shape] : []));
  if (shapes.length > 0) return { kind: "found", shape: intersectionShape(shapes) };
  return mergedAbsence(lookups) ?? SILENT;
}

/** For parts of which one holds. A part that can have no fields is not the one that the author means. */
function unionLookup(lookups: readonly ShapeLookup[]): ShapeLookup {
  const possible = lookups.filter(({ kind }) => kind !== "impossible");
  if (possible.length === 0) return lookups.length === 0 ? SILENT : IMPOSSIBLE;
  const shapes = possible.flatMap((each) => (each.kind === "found" ? [each.shape] : []));
  const hasSilent = possible.some(({ kind }) => kind === "silent");
  if (shapes.length > 0) return { kind: "found", shape: hasSilent ? UNKNOWN : unionShape(shapes) };
  return (hasSilent ? undefined : mergedAbsence(possible)) ?? SILENT;
}

function mergedAbsence(lookups: readonly ShapeLookup[]): ShapeLookup | undefined {
  const absences = lookups.filter((each) => each.kind === "absent");
  if (absences.length < 2) return absences[0];
  const names = (): readonly string[] => [...new Set(absences.flatMap((each) => each.names()))].slice(0, NAMES_MAX);
  return { kind: "absent", names, code: absences[0]!.code };
}

/** The items of a list, all of one shape; unknown if they differ by position. */
export function lookUpItem(shape: Shape, fuel: ShapeFuel): ShapeLookup {
  switch (shape.kind) {
    case "unknown":
      return OPEN;
    case "schema":
      return memoize(shape, "[]", fuel, () => schemaItem(shape.schema, shape.root, fuel));
    case "list":
      return { kind: "found", shape: shape.item };
    case "some":
      return tryPay(shape.parts, fuel) ? unionLookup(shape.parts.map((part) => lookUpItem(part, fuel))) : OPEN;
    case "all":
      return tryPay(shape.parts, fuel) ? intersectionLookup(shape.parts.map((part) => lookUpItem(part, fuel))) : OPEN;
    case "literal":
      return shape.value === null || isJsonArray(shape.value) ? OPEN : IMPOSSIBLE;
    default:
      return mayBeOfType(shape, "array", fuel) ? OPEN : IMPOSSIBLE;
  }
}

function schemaItem(schema: JsonSchema, root: JsonSchema, fuel: ShapeFuel): ShapeLookup {
  if (typeof schema === "boolean") return SILENT;
  const { own, all, alternatives, isPartial } = schemaParts(schema, root, fuel);
  if (isPartial) return OPEN;
  return intersectionLookup([
    ownItem(own, root),
    ...all.map((each) => schemaItem(each, root, fuel)),
    ...alternatives.map((choices) => unionLookup(choices.map((each) => schemaItem(each, root, fuel)))),
  ]);
}

function ownItem(own: JsonObject, root: JsonSchema): ShapeLookup {
  if (!allowsType(own, "array")) return IMPOSSIBLE;
  const { items, prefixItems } = own;
  if (items === undefined) return SILENT;
  return prefixItems !== undefined || isJsonArray(items) ? OPEN : foundSchema(items, root);
}

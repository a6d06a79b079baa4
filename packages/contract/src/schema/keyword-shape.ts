// Checks that the value of a keyword has the shape that the dialect requires. Schemas inside of it are checked separately.

import { isJsonArray, isJsonObject, type Json } from "@segno/kernel";

import type { KeywordShape } from "./dialect.ts";

export const TYPES: ReadonlySet<string> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

const FITS: Readonly<Record<KeywordShape, (value: Json) => boolean>> = {
  any: () => true,
  "a list of values": isJsonArray,
  "a list of schemas with at least one": (value) => isJsonArray(value) && value.length > 0 && value.every(isSchema),
  "a list of texts without repetitions": isTextList,
  "a map of lists of texts": (value) => isMapWith(value, isTextList),
  "a map of schemas": (value) => isMapWith(value, isSchema),
  "a map of schemas or lists of texts": (value) => isMapWith(value, (each) => isSchema(each) || isTextList(each)),
  "a number": (value) => typeof value === "number",
  "a number above 0": (value) => typeof value === "number" && value > 0,
  "a schema": isSchema,
  "a schema, or a list of schemas": (value) => isSchema(value) || (isJsonArray(value) && value.every(isSchema)),
  "a text": (value) => typeof value === "string",
  "a type": (value) =>
    isJsonArray(value) ? value.length > 0 && isUnique(value) && value.every(isType) : isType(value),
  "a whole number that is not negative": (value) => Number.isInteger(value) && (value as number) >= 0,
  "true or false": (value) => typeof value === "boolean",
};

export function hasShape(value: Json, shape: KeywordShape): boolean {
  return FITS[shape](value);
}

function isSchema(value: Json): boolean {
  return typeof value === "boolean" || isJsonObject(value);
}

function isType(value: Json): boolean {
  return typeof value === "string" && TYPES.has(value);
}

function isTextList(value: Json): boolean {
  return isJsonArray(value) && value.every((each) => typeof each === "string") && isUnique(value);
}

function isUnique(list: readonly Json[]): boolean {
  return new Set(list).size === list.length;
}

function isMapWith(value: Json, fits: (each: Json) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every(fits);
}

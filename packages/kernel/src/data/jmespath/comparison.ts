// Truth, equality and order as in the specification, each charged to fuel.

import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { fail } from "./expression-failure.ts";
import type { Fuel } from "./fuel.ts";
import { checkDepth } from "./json-size.ts";
import type { Comparison } from "./node.ts";

/** Reading the keys of an object takes about four times as long for each key as passing over an element. */
const KEY_ELEMENTS = 4;

/** The own keys of an object, charged to fuel. */
export function meteredKeys(object: JsonObject, fuel: Fuel): readonly string[] {
  const keys = Object.keys(object);
  fuel.scan(keys.length * KEY_ELEMENTS);
  return keys;
}

/** Null, false, the empty string, the empty array and the empty object are false. Zero is true. */
export function isTrue(value: Json, fuel: Fuel): boolean {
  if (typeof value !== "object") return value !== false && value !== "";
  if (value === null) return false;
  return isJsonArray(value) ? value.length > 0 : meteredKeys(value, fuel).length > 0;
}

export function compare(left: Json, operator: Comparison, right: Json, fuel: Fuel): Json {
  if (operator === "==") return isEqual(left, right, fuel, 0);
  if (operator === "!=") return !isEqual(left, right, fuel, 0);
  // Only numbers have an order here; anything else compares to null.
  if (typeof left !== "number" || typeof right !== "number") return null;
  switch (operator) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}

export function isEqual(left: Json, right: Json, fuel: Fuel, depth: number): boolean {
  fuel.spend(1);
  if (typeof left === "string" && typeof right === "string") return isSameText(left, right, fuel);
  if (left === right) return true;
  if (isJsonArray(left)) return isJsonArray(right) && isSameArray(left, right, fuel, depth);
  return isJsonObject(left) && isJsonObject(right) && isSameObject(left, right, fuel, depth);
}

function isSameText(left: string, right: string, fuel: Fuel): boolean {
  if (left.length !== right.length) return false;
  fuel.scanText(left.length);
  return left === right;
}

function isSameArray(left: readonly Json[], right: readonly Json[], fuel: Fuel, depth: number): boolean {
  if (left.length !== right.length) return false;
  checkDepth(depth);
  return left.every((element, index) => isEqual(element, right[index] ?? null, fuel, depth + 1));
}

function isSameObject(left: JsonObject, right: JsonObject, fuel: Fuel, depth: number): boolean {
  checkDepth(depth);
  const keys = meteredKeys(left, fuel);
  if (keys.length !== meteredKeys(right, fuel).length) return false;
  return keys.every(
    (key) => Object.hasOwn(right, key) && isEqual(left[key] ?? null, right[key] ?? null, fuel, depth + 1),
  );
}

/** Orders two numbers or two strings; strings by code point, whatever the locale. */
export function order(left: number | string, right: number | string, fuel: Fuel): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") return orderTexts(left, right, fuel);
  return fail("EXPRESSION_TYPE", "Numbers and strings have no common order");
}

function orderTexts(left: string, right: string, fuel: Fuel): number {
  const length = Math.min(left.length, right.length);
  let unit = 0;
  while (unit < length && left.charCodeAt(unit) === right.charCodeAt(unit)) unit += 1;
  if (unit >= 64) fuel.scanText(unit);
  if (unit === length) return left.length - right.length;
  return codePointRank(left.charCodeAt(unit)) - codePointRank(right.charCodeAt(unit));
}

/** Surrogates encode the highest code points, but their units are below U+E000. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

// JSON check: whether a value that user code returned is JSON, and if not, where it is not (DATA-8).
//
// Not its job: the size in bytes, which is known only after serialization. But a value of user code may have no end, so the walk is
// bounded:
//   W1. It recurses at most as deep as a value may be, however deep the value is.
//   W2. It has a budget of bytes. Each member costs no more than its JSON text, and a list or an object pays for all its members
//       before the first of them is visited. So a value within the limit is always walked to its end, and a value far beyond it
//       never is: a sparse list, a cycle, one object that is referenced a million times.
//   W3. A path is built only for the member that is wrong.
//   W4. A value is converted as `JSON.stringify` converts it if nothing is lost (ruling 59): keys without a value are left out, and
//       an object with a `toJSON` is replaced by its result. `toJSON` is called once. Only then is a copy made.

import { formatJsonPath, type Json } from "../model/json.ts";
import { VALUE_BYTES_MAX } from "../model/value.ts";

export { VALUE_BYTES_MAX };

export type JsonCheck =
  | { readonly kind: "json"; readonly json: Json }
  | { readonly kind: "not-json"; readonly path: string; readonly found: string }
  /** The value certainly has more than `VALUE_BYTES_MAX` bytes; a value that is `json` may still turn out to be too large. */
  | { readonly kind: "too-large" };

/** Deeper values are refused, because later readers may recurse. */
export const JSON_DEPTH_MAX = 64;

/** The words for a value that is too deep. */
export const TOO_DEEP: string = `a value deeper than ${JSON_DEPTH_MAX} levels, or a cycle`;

/** The bytes that a value may still have, and the parts of it that differ from its JSON. */
interface Budget {
  bytes: number;
  hasGaps: boolean;
  /** The results of `toJSON` by object. */
  converted: Map<object, unknown> | undefined;
}

type JsonFinding = { readonly kind: "not-json"; readonly found: string } | { readonly kind: "too-large" };

interface JsonViolation {
  readonly finding: JsonFinding;
  readonly value: unknown;
  /** From the innermost to the outermost, as the walk returns. */
  readonly locations: JsonLocation[];
}

interface JsonLocation {
  readonly parent: object;
  readonly key: string | number;
}

/** `undefined` at the top counts as null, because a function without a return value is a valid step. */
export function checkJson(value: unknown): JsonCheck {
  if (value === undefined) return { kind: "json", json: null };
  const budget: Budget = { bytes: VALUE_BYTES_MAX - 1, hasGaps: false, converted: undefined };
  const violation = checkValue(value, 0, budget);
  if (violation !== undefined) return refusal(violation);
  const isSame = !budget.hasGaps && budget.converted === undefined;
  return { kind: "json", json: isSame ? (value as Json) : copyValue(convertedValue(value, budget), budget) };
}

/** The recursion is bounded: `checkValue` has refused deeper values. */
function copyValue(value: unknown, budget: Budget): Json {
  if (typeof value !== "object" || value === null) return (value ?? null) as Json;
  if (Array.isArray(value)) return value.map((each) => copyValue(convertedValue(each, budget), budget));
  const entries = Object.entries(value).map(([key, each]) => [key, convertedValue(each, budget)] as const);
  const kept = entries.filter(([, each]) => each !== undefined);
  return Object.fromEntries(kept.map(([key, each]) => [key, copyValue(each, budget)]));
}

/** The value itself, unless it has a `toJSON`. */
function convertedValue(value: unknown, budget: Budget): unknown {
  if (typeof value !== "object" || value === null || !hasToJson(value)) return value;
  budget.converted ??= new Map();
  if (!budget.converted.has(value)) budget.converted.set(value, value.toJSON());
  return budget.converted.get(value);
}

/** The budget has already paid one byte for the value; this pays for the rest of a string or a container. */
function checkValue(value: unknown, depth: number, budget: Budget): JsonViolation | undefined {
  switch (typeof value) {
    case "string":
      return checkText(value, budget);
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : notJson(value, String(value));
    case "object":
      if (depth > JSON_DEPTH_MAX) return notJson(value, TOO_DEEP);
      if (value === null) return undefined;
      return hasToJson(value) ? checkConverted(value, depth, budget) : checkContainer(value, depth, budget);
    case "undefined":
    case "bigint":
    case "function":
    case "symbol":
      return notJson(value, typeof value === "undefined" ? "undefined" : `a ${typeof value}`);
  }
}

/** As in `JSON.stringify`, a `toJSON` of the result is not called. */
function checkConverted(value: JsonConvertible, depth: number, budget: Budget): JsonViolation | undefined {
  const json = convertedValue(value, budget);
  return typeof json === "object" && json !== null
    ? checkContainer(json, depth, budget)
    : checkValue(json, depth, budget);
}

function checkContainer(value: object, depth: number, budget: Budget): JsonViolation | undefined {
  if (Array.isArray(value)) return checkList(value, depth, budget);
  return isPlain(value)
    ? checkObject(value as Readonly<Record<string, unknown>>, depth, budget)
    : notJson(value, `an instance of ${className(value)}`);
}

/** A lone surrogate is not valid text, and no token can be derived from it (IDEM-4). */
function checkText(text: string, budget: Budget): JsonViolation | undefined {
  budget.bytes -= 1 + costOfText(text);
  if (budget.bytes < 0) return tooLarge(text);
  return text.isWellFormed() ? undefined : notJson(text, "text with a lone surrogate");
}

function checkList(list: readonly unknown[], depth: number, budget: Budget): JsonViolation | undefined {
  const { length } = list;
  // Brackets, commas, and a byte for each item, less the byte that is already paid.
  budget.bytes -= length === 0 ? 1 : 2 * length;
  if (budget.bytes < 0) return tooLarge(list);
  for (let index = 0; index < length; index++) {
    const violation = checkValue(list[index], depth + 1, budget);
    if (violation !== undefined) return withLocation(list, index, violation);
  }
  return undefined;
}

function checkObject(
  object: Readonly<Record<string, unknown>>,
  depth: number,
  budget: Budget,
): JsonViolation | undefined {
  const keys = Object.keys(object);
  // As in a list, and each key has two quotes and a colon.
  budget.bytes -= keys.length === 0 ? 1 : 5 * keys.length;
  if (budget.bytes < 0) return tooLarge(object);
  for (const key of keys) {
    const violation = checkKey(key, budget) ?? checkField(object[key], depth + 1, budget);
    if (violation !== undefined) return withLocation(object, key, violation);
  }
  return undefined;
}

/** A key whose value is undefined, or whose `toJSON` returns undefined, is left out. */
function checkField(value: unknown, depth: number, budget: Budget): JsonViolation | undefined {
  if (convertedValue(value, budget) !== undefined) return checkValue(value, depth, budget);
  budget.hasGaps = true;
  return undefined;
}

function checkKey(key: string, budget: Budget): JsonViolation | undefined {
  budget.bytes -= costOfText(key);
  if (budget.bytes < 0) return tooLarge(key);
  return key.isWellFormed() ? undefined : notJson(key, "a key with a lone surrogate");
}

/**
 * Half of its length. Serializing text is fast, so text up to twice the limit is left to the serializer, which knows its size
 * in bytes.
 */
function costOfText(text: string): number {
  return text.length >> 1;
}

function notJson(value: unknown, found: string): JsonViolation {
  return { finding: { kind: "not-json", found }, value, locations: [] };
}

function tooLarge(value: unknown): JsonViolation {
  return { finding: { kind: "too-large" }, value, locations: [] };
}

function withLocation(parent: object, key: string | number, violation: JsonViolation): JsonViolation {
  violation.locations.push({ parent, key });
  return violation;
}

function refusal(violation: JsonViolation): JsonCheck {
  const { finding, locations } = violation;
  if (finding.kind === "too-large" && !isInCycle(violation)) return finding;
  const path = formatJsonPath(locations.map(({ key }) => key).toReversed());
  return { kind: "not-json", path, found: finding.kind === "too-large" ? TOO_DEEP : finding.found };
}

/** A wide cycle uses up the budget before it is too deep, and would not be smaller with fewer rows. */
function isInCycle({ value, locations }: JsonViolation): boolean {
  return new Set([value, ...locations.map(({ parent }) => parent)]).size <= locations.length;
}

export interface JsonConvertible {
  toJSON(): unknown;
}

export function hasToJson(value: object): value is JsonConvertible {
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** Whether an object is written as `{ … }`, in any realm, or has no prototype. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function className(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "" ? name : "a class";
}

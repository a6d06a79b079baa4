// Checks of single fields. A check returns the value that the model keeps, or reports a problem and returns nothing.
//
// Checks do not convert: the text "5" is not a number, and 1 is not true (PLAN-22).

import { isJsonObject, type Json, type JsonObject } from "@segno/kernel";
import { describeValue, quoteText } from "@segno/kernel/describe-value";
import { frozenJson } from "../values/frozen-json.ts";
import { isIsoTime } from "../values/iso-time.ts";
import type { ProblemPath } from "./problem-path.ts";

export type Check<Value> = (value: unknown, path: ProblemPath) => Value | undefined;

export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): Check<number> {
  const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `${least} to ${most}`;
  return (value, path) => {
    if (typeof value !== "number" || !Number.isSafeInteger(value)) return wrongType(path, "a whole number", value);
    if (value < least || value > most) return path.report("out-of-range", `expected ${range}, found ${value}`);
    return value;
  };
}

export const anyInteger: Check<number> = integer(Number.MIN_SAFE_INTEGER);

export const truth: Check<boolean> = (value, path) =>
  typeof value === "boolean" ? value : wrongType(path, "true or false", value);

/** Counts lengths in characters, as people and the language of the source do, not in UTF-16 units. */
export function text(most: number = Number.MAX_SAFE_INTEGER, emptyReason?: string): Check<string> {
  return (value, path) => {
    if (typeof value !== "string") return wrongType(path, "text", value);
    if (value === "" && emptyReason !== undefined) return path.report(emptyReason, "expected text that is not empty");
    // Half of a surrogate pair can be neither hashed nor sent, so the next reader of the text would fail.
    if (!value.isWellFormed()) return path.report("not-text", "found a lone surrogate, which is not valid text");
    // A character has one or two units, so only a length between these bounds has to be counted.
    if (value.length <= most || (value.length <= 2 * most && Array.from(value).length <= most)) return value;
    return path.report("out-of-range", `expected at most ${most} characters`);
  };
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu;

export function isUuid(value: unknown): boolean {
  return typeof value === "string" && value.length === 36 && UUID.test(value);
}

/** Returns the form in which UUIDs are compared: they are the same if they differ only in the case of letters (ruling 55). */
export function comparableId(id: string): string {
  return id.toLowerCase();
}

/** Keeps the text as it was written. */
export const uuid: Check<string> = (value, path) => {
  if (typeof value !== "string") return wrongType(path, "a UUID as text", value);
  return isUuid(value) ? value : path.report("not-a-uuid", `expected a UUID, found ${quoteText(value)}`);
};

export function oneOf<Word extends string>(words: Readonly<Record<string, Word>>, reason: string): Check<Word> {
  const known: ReadonlySet<unknown> = new Set(Object.values(words));
  return (value, path) => {
    if (typeof value !== "string") return wrongType(path, "text", value);
    if (known.has(value)) return value as Word;
    return path.report(reason, `expected one of ${[...known].join(", ")}, found ${quoteText(value)}`);
  };
}

/** Checks each member of a list and returns a new list. */
export function listCheck<Member>(check: Check<Member>): Check<readonly Member[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return wrongType(path, "a list", value);
    // An index loop also visits the holes of a sparse list, which then fail the check.
    const members: Member[] = [];
    for (let index = 0; index < value.length; index++) members.push(check(value[index], path.at(index)) as Member);
    return Object.freeze(members);
  };
}

/** A frozen copy of a value of JSON. */
export const anyJson: Check<Json> = (value, path) => {
  const copy = frozenJson(value);
  if (copy.kind === "json") return copy.json;
  return path.at(...copy.path).report("not-json", `expected JSON, found ${copy.found}`);
};

export const jsonObject: Check<JsonObject> = (value, path) => {
  const json = anyJson(value, path);
  return json === undefined || isJsonObject(json) ? json : wrongType(path, "an object", value);
};

export const time: Check<string> = (value, path) => {
  if (typeof value !== "string") return wrongType(path, "a time as ISO 8601 text", value);
  return isIsoTime(value) ? value : path.report("not-a-time", `expected ISO 8601, found ${quoteText(value)}`);
};

export function wrongType(path: ProblemPath, expected: string, value: unknown): undefined {
  return path.report("wrong-type", `expected ${expected}, found ${describeValue(value)}`);
}

// Keywords for types, constants, numbers and strings.

import { isJsonArray, isJsonObject, type Json } from "@segno/kernel";

import type { ConstantKeys } from "../equality-keys.ts";
import type { KeywordCompiler } from "../keyword-compiler.ts";
import { FORMATS } from "../formats.ts";
import { refuse, type Keyword, type SchemaVisit } from "../schema-node.ts";

export const SCALAR_KEYWORDS: readonly KeywordCompiler[] = [
  ({ type, nullable }) =>
    type === undefined
      ? undefined
      : ofType(isJsonArray(type) ? type.filter(isText) : [type].filter(isText), nullable === true),
  ({ maximum: limit }) => ofNumber(limit, (value, most) => value <= most, "must be <="),
  ({ minimum: limit }) => ofNumber(limit, (value, least) => value >= least, "must be >="),
  ({ exclusiveMaximum: limit }) => ofNumber(limit, (value, end) => value < end, "must be <"),
  ({ exclusiveMinimum: limit }) => ofNumber(limit, (value, start) => value > start, "must be >"),
  ({ multipleOf: unit }) => ofNumber(unit, isMultiple, "must be multiple of"),
  ({ maxLength: most }) => ofLength(most, isNotLonger, (limit) => `must NOT have more than ${limit} characters`),
  ({ minLength: least }) => ofLength(least, isNotShorter, (limit) => `must NOT have fewer than ${limit} characters`),
  ({ pattern: source }, { patterns }) => {
    if (typeof source !== "string") return undefined;
    const pattern = patterns.get(source);
    return ofText((text, visit) => {
      visit.fuel.pattern(text.length, pattern.size);
      return pattern.test(text) || refuse(visit, `must match pattern "${source}"`);
    });
  },
  ({ format }) => (typeof format === "string" ? ofFormat(format) : undefined),
  ({ const: constant }, { constants }) =>
    constant === undefined ? undefined : equalTo([constant], constants, `must be ${showValue(constant)}`),
  ({ enum: values }, { constants }) =>
    isJsonArray(values) ? equalTo(values, constants, `must be one of ${listValues(values)}`) : undefined,
];

function ofType(types: readonly string[], isNullable: boolean): Keyword {
  const names = new Set<string>(isNullable ? [...types, "null"] : types);
  const message = `must be ${types.join(",")}`;
  return (value, visit) =>
    names.has(typeOf(value)) || (names.has("integer") && Number.isInteger(value)) || refuse(visit, message);
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (isJsonArray(value)) return "array";
  return isJsonObject(value) ? "object" : typeof value;
}

function ofNumber(
  limit: Json | undefined,
  fits: (value: number, limit: number) => boolean,
  phrase: string,
): Keyword | undefined {
  if (typeof limit !== "number") return undefined;
  const message = `${phrase} ${limit}`;
  return (value, visit) => typeof value !== "number" || fits(value, limit) || refuse(visit, message);
}

/** Integers are exact. Decimal fractions are not, so a quotient within the rounding error of an integer counts as one. */
function isMultiple(value: number, unit: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(unit)) return value % unit === 0;
  const quotient = value / unit;
  if (!Number.isFinite(quotient)) return value % unit === 0;
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * 4 * Math.abs(quotient);
}

function ofText(check: (text: string, visit: SchemaVisit) => boolean): Keyword {
  return (value, visit) => typeof value !== "string" || check(value, visit);
}

function ofLength(
  limit: Json | undefined,
  fits: (text: string, limit: number, visit: SchemaVisit) => boolean,
  message: (limit: number) => string,
): Keyword | undefined {
  if (typeof limit !== "number") return undefined;
  return ofText((text, visit) => fits(text, limit, visit) || refuse(visit, message(limit)));
}

/** Counts characters only if the number of UTF-16 units does not decide: a string has at most as many characters, at least half. */
function isNotLonger(text: string, most: number, visit: SchemaVisit): boolean {
  if (text.length <= most) return true;
  return text.length <= most * 2 && characters(text, visit) <= most;
}

function isNotShorter(text: string, least: number, visit: SchemaVisit): boolean {
  if (text.length < least) return false;
  return text.length >= least * 2 || characters(text, visit) >= least;
}

function characters(text: string, { fuel }: SchemaVisit): number {
  fuel.text(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.codePointAt(at)! > 0xffff) at++;
    count++;
  }
  return count;
}

/** The highest cost of a character for a format: no format has more states. */
const FORMAT_STATES = 128;

function ofFormat(name: string): Keyword | undefined {
  const format = FORMATS.get(name);
  if (format === undefined) return undefined;
  const message = `must match format "${name}"`;
  if (format.of === "number")
    return (value, visit) => typeof value !== "number" || format.test(value) || refuse(visit, message);
  return ofText((text, visit) => {
    visit.fuel.pattern(text.length, FORMAT_STATES);
    return format.test(text) || refuse(visit, message);
  });
}

/** The value must be equal to one of these. It is compared only if one of them has its type. */
function equalTo(values: readonly Json[], constants: ConstantKeys, message: string): Keyword {
  const types = new Set(values.map(typeOf));
  const keys = new Set(values.map((value) => constants.of(value)));
  return (value, visit) =>
    (types.has(typeOf(value)) && keys.has(visit.equality.of(value, visit.depth))) || refuse(visit, message);
}

const SHOWN_VALUES_MAX = 20;
const SHOWN_LENGTH_MAX = 80;

function listValues(values: readonly Json[]): string {
  const some = values.slice(0, SHOWN_VALUES_MAX).map(showValue).join(", ");
  return values.length > SHOWN_VALUES_MAX ? `${some} and ${values.length - SHOWN_VALUES_MAX} more` : some;
}

function showValue(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

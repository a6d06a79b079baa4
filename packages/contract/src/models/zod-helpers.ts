// Helpers for the contract's models: zod types whose message says what was expected.
//
// Every message is the phrase after "expected"; the code that turns issues into problems adds what was found. So one phrase serves
// a wrong type, a wrong pattern and a wrong range, and a union can name what all its branches accept.

import { groupedDigits } from "../text/grouped-digits.ts";
import type { Json, JsonObject } from "@segno/kernel";
import { z } from "zod";

export interface TextRule {
  readonly pattern?: RegExp;
  readonly max?: number;
}

export function string(expected = "text", { pattern, max }: TextRule = {}): z.ZodType<string> {
  let model = z.string({ error: expected }).min(1, { error: expected });
  if (max !== undefined) model = model.max(max, { error: `${expected} of at most ${max} characters` });
  return pattern === undefined ? model : model.regex(pattern, { error: expected });
}

export function anyText(expected = "text"): z.ZodType<string> {
  return z.string({ error: expected });
}

export function wholeNumber(min: number, max: number): z.ZodType<number> {
  const expected = `a whole number from ${groupedDigits(min)} to ${groupedDigits(max)}`;
  return z.int({ error: expected }).min(min, { error: expected }).max(max, { error: expected });
}

export function number(min: number, max: number): z.ZodType<number> {
  const expected = `a number from ${min} to ${max}`;
  return z.number({ error: expected }).min(min, { error: expected }).max(max, { error: expected });
}

export function boolean(): z.ZodType<boolean> {
  return z.boolean({ error: "true or false" });
}

/** For a key whose presence is its meaning, such as `barrier: true`. */
export function literalTrue(): z.ZodType<true> {
  return z.literal(true, { error: "`true`" });
}

export function oneOf<const Word extends string>(...words: readonly Word[]): z.ZodType<Word> {
  const quoted = words.map((word) => `\`${word}\``);
  return z.enum(words, { error: `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}` });
}

export function list<Item>(item: z.ZodType<Item>, expected: string, min = 0): z.ZodType<readonly Item[]> {
  const model = z.array(item, { error: expected });
  return min === 0 ? model : model.min(min, { error: expected });
}

/** A map with free keys, such as `env`. */
export function record<Value>(
  key: z.ZodType<string>,
  value: z.ZodType<Value>,
  expected: string,
): z.ZodType<Readonly<Record<string, Value>>> {
  return z.record(key as z.ZodType<string, string>, value, { error: expected });
}

/** A map with these keys and no others. The issue about unknown keys carries the known ones as its message. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  expected: string,
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape).join(" ");
  return z.strictObject(shape, { error: ({ code }) => (code === "unrecognized_keys" ? known : expected) });
}

export function union<Options extends readonly [z.ZodType, z.ZodType, ...z.ZodType[]]>(
  options: Options,
  expected: string,
): z.ZodUnion<Options> {
  return z.union(options, { error: expected });
}

/** Accepts any value: the reader produced JSON only. */
export const json: z.ZodType<Json> = z.unknown() as unknown as z.ZodType<Json>;

export const jsonMap: z.ZodType<JsonObject> = z.record(z.string(), json, { error: "a map" });

/** Accepts numbers and booleans for values that become text, such as those of `env`. */
export const scalar: z.ZodType<string | number | boolean> = union(
  [anyText(), z.number(), z.boolean()],
  "text, a number, or true or false",
);

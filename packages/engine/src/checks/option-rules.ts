// Rules for options, and the check of options against them.

import { invalidOption, unknownOption } from "./option-error.ts";

export interface Rule {
  readonly expected: string;
  fits(value: unknown): boolean;
}

export type OptionRules = Readonly<Record<string, Rule>>;

/** The option is checked where it is used. */
export const ANYTHING: Rule = { expected: "anything", fits: () => true };
export const TEXT: Rule = { expected: "text", fits: isText };
export const OBJECT: Rule = { expected: "an object", fits: isObject };
export const FUNCTION: Rule = { expected: "a function", fits: isFunction };
export const MILLISECONDS: Rule = {
  expected: "a number of milliseconds from 0 on",
  fits: (value) => typeof value === "number" && value >= 0,
};
export const SOME_MILLISECONDS: Rule = {
  expected: "a number of milliseconds above 0",
  fits: (value) => typeof value === "number" && value > 0,
};

/** An option that is `undefined` counts as absent. */
export function checkOptions(subject: string, given: object, rules: OptionRules, prefix = ""): void {
  for (const [option, value] of Object.entries(given)) {
    if (!Object.hasOwn(rules, option)) throw unknownOption(subject, option, Object.keys(rules));
    const rule = rules[option]!;
    if (value !== undefined && !rule.fits(value)) throw invalidOption(`${prefix}${option}`, rule.expected, value);
  }
}

export function oneOf(...words: readonly string[]): Rule {
  const quoted = words.map((word) => `"${word}"`);
  const expected = [quoted.slice(0, -1).join(", "), quoted.at(-1)].filter((part) => part !== "").join(" or ");
  return { expected, fits: (value) => words.includes(value as string) };
}

export function withMethods(...names: readonly string[]): Rule {
  return {
    expected: `an object with ${names.map((name) => `\`${name}\``).join(", ")}`,
    fits: (value) => hasMethods(value, ...names),
  };
}

/** Infinity is accepted as "no limit". */
export function wholeNumber(least: number): Rule {
  return {
    expected: `a whole number from ${least} on`,
    fits: (value) => (Number.isInteger(value) || value === Infinity) && (value as number) >= least,
  };
}

export function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return typeof value === "object" && value !== null && names.every((name) => isFunction(Reflect.get(value, name)));
}

/** Removes options that are `undefined`, because they count as absent. */
export function givenOptions<Fields extends object>(
  fields: Fields,
): { readonly [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

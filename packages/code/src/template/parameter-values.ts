// The values of a template's parameters: defaults, given values, and what is wrong with them.

import { closest, type Json } from "@segno/kernel";
import { CodeError } from "../errors/code-error.ts";
import type { Parameter, CodeTemplate } from "./template.ts";
import type { ParameterValue, ParameterValues } from "../model/parameter-values.ts";

/** Values as a caller gives them. */
export type GivenValues = Readonly<Record<string, Json>>;

/** Adds the defaults. Throws one error that names every problem. */
export function parameterValues({ name, parameters }: CodeTemplate, given: GivenValues): ParameterValues {
  const problems = [
    ...Object.keys(given).flatMap((key) => unknownProblem(parameters, key)),
    ...Object.entries(parameters).flatMap(([key, parameter]) => valueProblem(key, parameter, given)),
  ];
  if (problems.length > 0)
    throw new CodeError("PARAMETER_INVALID", `the template \`${name}\` cannot start: ${problems.join("; ")}`);
  return Object.fromEntries(
    Object.entries(parameters).map(([key, parameter]) => [
      key,
      (Object.hasOwn(given, key) ? given[key] : parameter.default) as ParameterValue,
    ]),
  );
}

/** Reads the text of `--param name=value` as the type of its parameter. */
export function parseParameter({ type }: Parameter, text: string): Json {
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Says what is wrong with a value; undefined if nothing is. */
export function parameterProblem({ type, enum: allowed }: Parameter, value: Json): string | undefined {
  if (typeof value !== type) return `expected ${EXPECTED[type]}, found ${JSON.stringify(value)}`;
  // Commands get values in their environment, which cannot contain NUL.
  if (typeof value === "string" && value.includes("\0")) return "expected text without NUL characters";
  if (type === "number" && !Number.isFinite(value)) return "expected a finite number";
  if (allowed === undefined || allowed.includes(value as string)) return undefined;
  return `expected one of ${allowed.map((each) => JSON.stringify(each)).join(", ")}, found ${JSON.stringify(value)}`;
}

const EXPECTED: Readonly<Record<Parameter["type"], string>> = {
  string: "text",
  number: "a number",
  boolean: "`true` or `false`",
};

function unknownProblem(parameters: CodeTemplate["parameters"], key: string): readonly string[] {
  if (Object.hasOwn(parameters, key)) return [];
  const meant = closest(key, Object.keys(parameters));
  return [`it has no parameter \`${key}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`];
}

function valueProblem(key: string, parameter: Parameter, given: GivenValues): readonly string[] {
  if (!Object.hasOwn(given, key)) return parameter.default === undefined ? [`the parameter \`${key}\` is missing`] : [];
  const message = parameterProblem(parameter, given[key]!);
  return message === undefined ? [] : [`\`${key}\`: ${message}`];
}

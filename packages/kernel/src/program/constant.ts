// The results of expressions that read nothing: they are known before anything runs, and so is whether they are valid.
//
// Not its job: expressions that read data. Those are checked when they are evaluated, with the same messages.

import { isJsonArray, type Json, type JsonPath } from "../model/json.ts";
import { evaluate } from "../data/jmespath/evaluate.ts";
import { inBackticks, type Expression } from "../data/jmespath/expression.ts";
import { createFuel } from "../data/jmespath/fuel.ts";
import { listReferences } from "../data/jmespath/references.ts";
import { notAFlagMessage, notAListMessage } from "../data/type-mismatch-messages.ts";
import type { ProblemCollector } from "./problem-collector.ts";

/** A small limit, because a document may have many of them. An expression that needs more is evaluated at run time. */
const FUEL = Object.freeze({ nodes: 1000, bytes: 65_536 });

/** For the `over` of a map. */
export function checkConstantList(over: Expression, path: JsonPath, problems: ProblemCollector): void {
  const value = evaluateConstant(over, path, problems);
  if (value === undefined || isJsonArray(value)) return;
  problems.structural(
    "MAP_NOT_A_LIST",
    path,
    notAListMessage(over, value),
    "a map runs its steps for each item of a list",
  );
}

/** For a `when`: a plain text is not a condition, whatever it says. */
export function checkConstantText({ root, source }: Expression, path: JsonPath, problems: ProblemCollector): void {
  if (root.kind !== "literal" || typeof root.value !== "string") return;
  const result = root.value === "" ? "never" : "always";
  const hint = "text is true unless it is empty; write a comparison, or a boolean in backticks: `true`";
  problems.structural("FIXED_COMPARISON", path, `${inBackticks(source)} is text, so it is ${result} true`, hint);
}

/** For the `until` of a repetition: a value that is never a boolean does not end it. */
export function checkConstantFlag(until: Expression, path: JsonPath, problems: ProblemCollector): void {
  const value = evaluateConstant(until, path, problems);
  if (value === undefined || typeof value === "boolean") return;
  problems.structural("UNTIL_NOT_BOOLEAN", path, notAFlagMessage(until, value), "write a comparison");
}

/** Undefined if the result is not known, or if it cannot be computed, which is reported as a problem. */
function evaluateConstant(expression: Expression, path: JsonPath, problems: ProblemCollector): Json | undefined {
  if (listReferences(expression).length > 0) return undefined;
  const result = evaluate(expression, null, createFuel(FUEL));
  if (result.kind === "value") return result.value;
  if (result.code !== "EXPRESSION_FUEL")
    problems.structural(result.code, path, `${result.message} in ${inBackticks(expression.source)}`);
  return undefined;
}

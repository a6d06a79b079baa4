// What an expression gives that reads nothing: it is known before anything runs, and so is whether it will do.
//
// Not its job: to judge what reads something. That is judged when it is computed, in the same words.

import { isJsonArray, type Json, type JsonPath } from "../model/json.ts";
import { evaluate } from "../data/jmespath/evaluate.ts";
import { inBackticks, type Expression } from "../data/jmespath/expression.ts";
import { createFuel } from "../data/jmespath/fuel.ts";
import { listReferences } from "../data/jmespath/references.ts";
import { notAListMessage } from "../data/type-mismatch-messages.ts";
import type { ProblemCollector } from "./problem-collector.ts";

/** Little, because a document may have many of them. What needs more is computed when its turn comes. */
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

/** For a `when`: a text by itself is no condition, whatever it says. */
export function checkConstantText({ root, source }: Expression, path: JsonPath, problems: ProblemCollector): void {
  if (root.kind !== "literal" || typeof root.value !== "string") return;
  const result = root.value === "" ? "never" : "always";
  const hint = "a text is true unless it is empty; write a comparison, or a boolean in backticks: `true`";
  problems.structural("FIXED_COMPARISON", path, `${inBackticks(source)} is a text, so it is ${result} true`, hint);
}

/** Nothing where it is not known, and where it cannot be computed, which is a problem by itself. */
function evaluateConstant(expression: Expression, path: JsonPath, problems: ProblemCollector): Json | undefined {
  if (listReferences(expression).length > 0) return undefined;
  const result = evaluate(expression, null, createFuel(FUEL));
  if (result.kind === "value") return result.value;
  if (result.code !== "EXPRESSION_FUEL")
    problems.structural(result.code, path, `${result.message} in ${inBackticks(expression.source)}`);
  return undefined;
}

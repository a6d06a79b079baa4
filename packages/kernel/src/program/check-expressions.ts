// Checks expressions against the known shapes of the values that they read: schemas, variables, fields and states of steps.
//
//   CE-1. A name or a comparison that can never be right is refused when the definition is compiled. At run time it would be null or
//         false, and a `when` with it would skip its step without a message.
//   CE-2. A disabled step never reads, so it is not checked (GRAPH-5).
//   CE-3. The budget of the document bounds the cost of the checks and the number of these problems.

import type { KernelErrorCode } from "../errors/catalogue.ts";
import type { Suggestions } from "../errors/suggestion.ts";
import type { Json, JsonPath } from "../model/json.ts";
import { inBackticks, type Expression } from "../data/jmespath/expression.ts";
import {
  checkExpression,
  type AbsentField,
  type CheckListener,
  type FixedComparison,
} from "../data/shapes/expression-check.ts";
import type { ShapeBudget } from "../data/shapes/shape-budget.ts";
import { literalText } from "../data/shapes/shape-text.ts";
import type { Shape } from "../data/shapes/shape.ts";
import { endState } from "../data/jmespath/slips.ts";
import type { ProblemCollector } from "./problem-collector.ts";
import { COMMAND_FIELDS, knownShapes } from "./known-shapes.ts";
import type { CompiledStep } from "./program.ts";
import { isDisabled } from "./reads.ts";
import type { ReadScope } from "./compile-scope.ts";

const NAMES_SHOWN = 8;

export function checkExpressions(scope: ReadScope, steps: readonly CompiledStep[], problems: ProblemCollector): void {
  const shapes = knownShapes(scope);
  const reports = new Reports(problems, scope.budget);
  for (const read of problems.reads) {
    if (reports.isFull) return;
    if (problems.isMisquoted(read.expression) || isDisabled(scope, read.step)) continue;
    reports.check(read.expression, shapes.rootFor(read), read.path);
  }
  steps.forEach(({ work }, step) => {
    if (work.kind !== "items" || work.over.references.length === 0 || isDisabled(scope, step)) return;
    if (shapes.isNeverList(work.over.expression, step)) reportNotAList(work.over.expression, step, problems);
  });
  steps.forEach(({ capture }, step) => {
    if (capture?.select === undefined || reports.isFull || isDisabled(scope, step)) return;
    reports.check(capture.select, shapes.rawOutput(step), ["steps", step, "output", "select"]);
  });
}

function reportNotAList({ source }: Expression, step: number, problems: ProblemCollector): void {
  const path: JsonPath = ["steps", step, "action", "over"];
  const hint = "a map runs its steps for each item of a list";
  problems.structural("MAP_NOT_A_LIST", path, `${inBackticks(source)} is never a list`, hint);
}

class Reports {
  readonly #problems: ProblemCollector;
  readonly #budget: ShapeBudget;

  constructor(problems: ProblemCollector, budget: ShapeBudget) {
    this.#problems = problems;
    this.#budget = budget;
  }

  get isFull(): boolean {
    return this.#budget.reports === 0;
  }

  check(expression: Expression, root: Shape, path: JsonPath): void {
    const { suggestions } = this.#problems;
    const reported = new Set<string>();
    const report = (code: KernelErrorCode, message: string, hint: string | undefined): void => {
      if (this.isFull || reported.has(message)) return;
      reported.add(message);
      this.#budget.reports -= 1;
      this.#problems.structural(code, path, message, hint);
    };
    const listener: CheckListener = {
      absent: (found) => report(found.code, absentText(expression, found), absentHint(found, suggestions)),
      onFixedComparison: (found) =>
        report("FIXED_COMPARISON", fixedText(expression, found), fixedHint(found, suggestions)),
      onLiterals: (values) => report("FIXED_COMPARISON", literalsText(expression, values), literalsHint(values)),
    };
    checkExpression(expression, root, this.#budget, listener);
  }
}

function absentText({ source }: Expression, { path, names, suggestion }: AbsentField): string {
  const read = `${inBackticks(source)} reads \`${path}\`, which never exists`;
  if (suggestion !== undefined) return `${read}: the value before it is ${suggestion}`;
  if (names.length === 0) return `${read}: this value has no fields`;
  const more = names.length > NAMES_SHOWN ? ", …" : "";
  return `${read}: expected ${names.slice(0, NAMES_SHOWN).join(", ")}${more}`;
}

function absentHint(
  { code, path, name, names, suggestion }: AbsentField,
  suggestions: Suggestions,
): string | undefined {
  const near = suggestions.closest(name, names);
  if (near !== undefined) return `did you mean \`${path.slice(0, -quoteName(path, name).length)}${near}\`?`;
  if (isCommandOutput(names)) return "for JSON, add `output: { select: from_json(stdout) }` to the command";
  if (code === "UNKNOWN_VARIABLE") return "declare it under `variables`, or write it with `output: { to: … }`";
  return suggestion === undefined ? "correct the name, or declare it in the schema" : undefined;
}

function isCommandOutput(names: readonly string[]): boolean {
  return names.length === COMMAND_FIELDS.length && COMMAND_FIELDS.every((name) => names.includes(name));
}

/** The last name of the path as written, with its quotes if it has them. */
function quoteName(path: string, name: string): string {
  return path.endsWith(name) ? name : JSON.stringify(name);
}

function fixedText({ source }: Expression, { path, operator, literal, expected }: FixedComparison): string {
  const result = operator === "!=" ? "always true" : "never true";
  const found = literal === undefined ? "" : `, found ${literalText(literal)}`;
  return `${inBackticks(source)} is ${result} where it compares \`${path}\`: expected ${expected}${found}`;
}

function literalsText({ source }: Expression, [left, right]: readonly [Json, Json]): string {
  return `${inBackticks(source)} compares ${literalText(left)} with ${literalText(right)}, which never change`;
}

function literalsHint(values: readonly Json[]): string | undefined {
  const isPath = values.some((value) => typeof value === "string" && /^[a-z]\w*\./iu.test(value));
  return isPath ? "quotes make a text; write a path without quotes" : undefined;
}

function fixedHint(
  { literal, candidates, mayBeNumber, mayBeBoolean }: FixedComparison,
  suggestions: Suggestions,
): string | undefined {
  if (typeof literal !== "string") return undefined;
  const near = suggestions.closest(literal, candidates) ?? candidates.find((each) => each === endState(literal));
  if (near !== undefined) return `did you mean '${near}'?`;
  const isNumber = mayBeNumber && literal.trim() !== "" && Number.isFinite(Number(literal));
  if (isNumber || (mayBeBoolean && /^(?:true|false)$/u.test(literal)))
    return `a number or a boolean is written in backticks: \`${literal}\``;
  return undefined;
}

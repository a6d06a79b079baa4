// The `over` of a map: an expression that gives the list of items, or a matrix of lists.

import type { ExpressionSource, MapAction, Template } from "../model/definition.ts";
import { isForbiddenKey, type JsonArray, type JsonPath } from "../model/json.ts";
import type { Expression } from "../data/jmespath/expression.ts";
import { matrixExpression, type MatrixAxis } from "../data/jmespath/matrix.ts";
import { listReferences } from "../data/jmespath/references.ts";
import { checkConstantList } from "./constant.ts";
import type { ProblemCollector } from "./problem-collector.ts";
import type { CompiledCondition } from "./program.ts";
import { compileCondition, type Roots } from "./roots.ts";

/** Undefined if it cannot be compiled; the problem is reported. */
export function compileOver(
  over: MapAction["over"],
  path: JsonPath,
  roots: Roots,
  problems: ProblemCollector,
): CompiledCondition | undefined {
  if (typeof over === "string") return compileList(over, path, roots, problems);
  const axes = over.flatMap(({ name, list }) => {
    const compiled = compileAxis(name, list, [...path, name], roots, problems);
    return compiled === undefined ? [] : [compiled];
  });
  if (over.length === 0)
    problems.structural("OUT_OF_RANGE", path, "a matrix has at least one list, and this one has none");
  if (new Set(over.map(({ name }) => name)).size < over.length)
    problems.structural("OUT_OF_RANGE", path, "two lists of a matrix have the same name");
  if (axes.length === 0 || axes.length < over.length) return undefined;
  const expression = matrixExpression(axes);
  return { expression, references: listReferences(expression) };
}

function compileList(
  source: ExpressionSource,
  path: JsonPath,
  roots: Roots,
  problems: ProblemCollector,
): CompiledCondition | undefined {
  const list = compileCondition(source, path, roots, problems);
  if (list !== undefined) checkConstantList(list.expression, path, problems);
  return list;
}

function compileAxis(
  name: string,
  list: ExpressionSource | JsonArray,
  path: JsonPath,
  roots: Roots,
  problems: ProblemCollector,
): MatrixAxis | undefined {
  if (isForbiddenKey(name)) {
    problems.structural("OUT_OF_RANGE", path, `\`${name}\` cannot be the name of a list`);
    return undefined;
  }
  const expression = typeof list === "string" ? compileList(list, path, roots, problems)?.expression : toLiteral(list);
  return expression === undefined ? undefined : { name, list: expression };
}

function toLiteral(list: JsonArray): Expression {
  return { source: JSON.stringify(list), root: { kind: "literal", value: list } };
}

/** An item of a matrix is labelled with its values, unless the map has a label of its own: `linux, 24`. */
export function labelTemplate({ label, over }: MapAction): Template | undefined {
  if (label !== undefined || typeof over === "string") return label;
  return over.map(({ name }) => `\${ item.${/^[A-Za-z_]\w*$/u.test(name) ? name : JSON.stringify(name)} }`).join(", ");
}

// A matrix: all combinations of several lists, as one expression that gives the list of them. No text is parsed to it: the `over` of
// a map has a list for each name (BEYOND-1).
//
//   MX-1  The items are objects in the order of the lists; the last list changes fastest.
//   MX-2  The number of items is bounded, and each of them is charged before it is made.

import { isJsonArray, type Json, type JsonArray } from "../../model/json.ts";
import { describeKind } from "../describe-value.ts";
import { inBackticks, type Expression } from "./expression.ts";
import { fail } from "./expression-failure.ts";
import type { FunctionCall, FunctionDefinition } from "./functions/function-definition.ts";
import type { CallNode } from "./node.ts";

const MATRIX_ITEMS_MAX = 10_000;

/** One list of a matrix. */
export interface MatrixAxis {
  readonly name: string;
  readonly list: Expression;
}

/** The name cannot be that of a function that an author calls, because it has a space. */
export const MATRIX_NAME = "matrix of";

export function matrixExpression(axes: readonly MatrixAxis[]): Expression {
  const entries = axes.map(({ name, list }) => ({ key: name, value: list.root }));
  const callee: FunctionDefinition = { name: MATRIX_NAME, arity: [1, 1], run: (call) => combine(call, axes) };
  const root: CallNode = { kind: "call", callee, args: [{ kind: "hash", entries }], by: undefined };
  const source = `{ ${axes.map(({ name, list }) => `${name}: ${list.source}`).join(", ")} }`;
  return Object.freeze({ source, root });
}

function combine(call: FunctionCall, axes: readonly MatrixAxis[]): Json {
  const given = call.object(0);
  const lists = axes.map(({ name, list }) => toList(given[name] ?? null, name, list));
  const count = lists.reduce((product, { length }) => product * length, 1);
  if (count > MATRIX_ITEMS_MAX) {
    const sizes = axes.map(({ name }, index) => `${lists[index]!.length} of \`${name}\``).join(" × ");
    fail("MATRIX_TOO_LARGE", `the matrix has ${count} items (${sizes}); at most ${MATRIX_ITEMS_MAX} are allowed`);
  }
  call.fuel.scan(count * axes.length);
  call.fuel.slots(count * (1 + 2 * axes.length));
  return call.register(Array.from({ length: count }, (_, index) => itemAt(index, axes, lists)));
}

function toList(value: Json, name: string, { source }: Expression): JsonArray {
  if (isJsonArray(value)) return value;
  return fail(
    "MAP_NOT_A_LIST",
    `\`${name}\` of the matrix, ${inBackticks(source)}, evaluated to ${describeKind(value)}, not a list`,
  );
}

function itemAt(index: number, axes: readonly MatrixAxis[], lists: readonly JsonArray[]): Json {
  const values: Json[] = [];
  let rest = index;
  for (const list of lists.toReversed()) {
    values.unshift(list[rest % list.length] ?? null);
    rest = Math.floor(rest / list.length);
  }
  return Object.fromEntries(axes.map(({ name }, position) => [name, values[position]!]));
}

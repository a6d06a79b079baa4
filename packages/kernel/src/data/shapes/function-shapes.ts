// The shapes of the results of functions, as far as the name of the function determines them.

import { MATRIX_NAME } from "../jmespath/matrix.ts";
import { BOOLEAN, listShape, NUMBER, recordShape, STRING, UNKNOWN, valuesShape, type Shape } from "./shape.ts";

const TYPE_NAMES = valuesShape(["number", "string", "boolean", "array", "object", "null"]);

const RESULTS: ReadonlyMap<string, Shape> = new Map([
  ...["abs", "avg", "ceil", "floor", "sum", "length", "find_first", "find_last", "to_number"].map(
    (name) => [name, NUMBER] as const,
  ),
  ...[
    "join",
    "lower",
    "pad_left",
    "pad_right",
    "replace",
    "to_json",
    "to_string",
    "trim",
    "trim_left",
    "trim_right",
    "upper",
  ].map((name) => [name, STRING] as const),
  ...["contains", "ends_with", "starts_with"].map((name) => [name, BOOLEAN] as const),
  ["type", TYPE_NAMES],
]);

/** These return the list that they are given, in another order. */
const REORDERING: ReadonlySet<string> = new Set(["sort", "sort_by"]);

/** The items of a matrix have the fields of its lists, and each field has the shape of the items of its list. */
function matrixShape(lists: Shape | undefined, itemOf: (list: Shape) => Shape): Shape {
  if (lists?.kind !== "object") return UNKNOWN;
  return listShape(
    recordShape(Object.fromEntries(lists.names().map((name) => [name, itemOf(lists.field(name) ?? UNKNOWN)]))),
  );
}

export function resultShape(name: string, args: readonly Shape[], itemOf: (list: Shape) => Shape): Shape {
  if (name === MATRIX_NAME) return matrixShape(args[0], itemOf);
  if (REORDERING.has(name)) return args[0] ?? UNKNOWN;
  return RESULTS.get(name) ?? UNKNOWN;
}

// Functions that order values: by the values themselves, or by the result of an `&` expression for each.

import type { Json } from "../../../model/json.ts";
import { order } from "../comparison.ts";
import type { FunctionCall, FunctionDefinition } from "./function-definition.ts";

type Sortable = number | string;

export const ORDER_FUNCTIONS: readonly FunctionDefinition[] = [
  { name: "max", arity: [1, 1], run: (call) => extreme(call, call.sortables(0), 1) },
  { name: "min", arity: [1, 1], run: (call) => extreme(call, call.sortables(0), -1) },
  { name: "max_by", arity: [2, 2], by: 1, run: (call) => extremeBy(call, 1) },
  { name: "min_by", arity: [2, 2], by: 1, run: (call) => extremeBy(call, -1) },
  { name: "sort", arity: [1, 1], run: (call) => sortElements(call, call.sortables(0), call.sortables(0)) },
  { name: "sort_by", arity: [2, 2], by: 1, run: (call) => sortElements(call, call.array(0), keys(call)) },
];

/** The index of the highest (direction 1) or lowest (-1) key; the first of equal ones. */
function extremeIndex(call: FunctionCall, sortables: readonly Sortable[], direction: 1 | -1): number {
  let best = 0;
  for (let index = 1; index < sortables.length; index += 1) {
    if (order(sortables[index]!, sortables[best]!, call.fuel) * direction > 0) best = index;
  }
  return best;
}

function extreme(call: FunctionCall, sortables: readonly Sortable[], direction: 1 | -1): Json {
  return sortables[extremeIndex(call, sortables, direction)] ?? null;
}

function extremeBy(call: FunctionCall, direction: 1 | -1): Json {
  return call.array(0)[extremeIndex(call, keys(call), direction)] ?? null;
}

/** The key of every element, each computed once. All are numbers or all are strings. */
function keys(call: FunctionCall): readonly Sortable[] {
  const array = call.array(0);
  call.fuel.slots(array.length);
  const sortables: Sortable[] = [];
  for (const element of array) sortables.push(sortable(call, call.by(element), sortables[0]));
  return sortables;
}

function sortable(call: FunctionCall, key: Json, first: Sortable | undefined): Sortable {
  if (typeof key !== "number" && typeof key !== "string") return call.refuseKey("numbers or strings", key);
  if (first !== undefined && typeof first !== typeof key) return call.refuseKey(`a ${typeof first} as before`, key);
  return key;
}

/** Elements with equal keys keep their order. */
function sortElements(call: FunctionCall, elements: readonly Json[], sortables: readonly Sortable[]): Json {
  call.fuel.sort(elements.length);
  call.fuel.slots(2 * elements.length);
  const indexes = Array.from(sortables, (_, index) => index);
  indexes.sort((one, other) => order(sortables[one]!, sortables[other]!, call.fuel));
  return call.register(indexes.map((index) => elements[index] ?? null));
}

import { isForbiddenKey, type Json, type JsonArray } from "../../../model/json.ts";
import { codePointLength } from "../code-points.ts";
import { isEqual, meteredKeys } from "../comparison.ts";
import type { FunctionCall, FunctionDefinition } from "./function-definition.ts";

export const ARRAY_FUNCTIONS: readonly FunctionDefinition[] = [
  { name: "contains", arity: [2, 2], run: contains },
  { name: "length", arity: [1, 1], run: length },
  { name: "map", arity: [2, 2], by: 0, run: map },
  { name: "reverse", arity: [1, 1], run: reverse },
  { name: "zip", arity: [1, Infinity], run: zip },
  { name: "group_by", arity: [2, 2], by: 1, run: groupBy },
];

function contains(call: FunctionCall): boolean {
  const subject = call.any(0);
  const value = call.any(1);
  if (typeof subject === "string") {
    if (typeof value !== "string") return false;
    call.fuel.search(subject.length, value.length);
    return subject.includes(value);
  }
  if (!Array.isArray(subject)) return call.refuse(0, "a string or an array");
  return call.array(0).some((element) => isEqual(element, value, call.fuel, 0));
}

function length(call: FunctionCall): number {
  const value = call.any(0);
  if (typeof value === "string") {
    call.fuel.scanText(value.length);
    return codePointLength(value);
  }
  if (Array.isArray(value)) return value.length;
  if (typeof value !== "object" || value === null) return call.refuse(0, "a string, an array or an object");
  return meteredKeys(call.object(0), call.fuel).length;
}

function map(call: FunctionCall): Json {
  // The `&` expression comes first and is not among the values, so the array is value 0.
  const array = call.array(0);
  call.fuel.slots(array.length);
  const mapped: Json[] = [];
  for (const element of array) mapped.push(call.by(element));
  return call.register(mapped);
}

function reverse(call: FunctionCall): Json {
  const value = call.any(0);
  if (typeof value === "string") {
    call.fuel.scanText(value.length);
    call.fuel.produce(value.length);
    return call.madeText(Array.from(value).toReversed().join(""), value.length);
  }
  if (!Array.isArray(value)) return call.refuse(0, "a string or an array");
  const array = call.array(0);
  call.fuel.scan(array.length);
  call.fuel.slots(array.length);
  return call.register(array.toReversed());
}

function zip(call: FunctionCall): Json {
  const arrays = call.all().map((_, index) => call.array(index));
  const rows = Math.min(...arrays.map((array) => array.length));
  call.fuel.scan(rows * arrays.length);
  call.fuel.slots(rows * (arrays.length + 1));
  const row = (index: number): JsonArray => call.register(arrays.map((array) => array[index] ?? null));
  return call.register(Array.from({ length: rows }, (_, index) => row(index)));
}

/** Elements for which the key is null are left out. */
function groupBy(call: FunctionCall): Json {
  const groups: Record<string, Json[]> = {};
  for (const element of call.array(0)) {
    const key = call.by(element);
    if (key === null) continue;
    if (typeof key !== "string") return call.refuseKey("strings or null", key);
    if (isForbiddenKey(key)) call.refuseValue(`cannot make an object with the key "${key}"`);
    call.fuel.slots(1);
    groupFor(call, groups, key).push(element);
  }
  return call.register(groups);
}

function groupFor(call: FunctionCall, groups: Record<string, Json[]>, key: string): Json[] {
  if (Object.hasOwn(groups, key)) return groups[key]!;
  call.fuel.slots(2);
  return (groups[key] = call.register<Json[]>([]));
}

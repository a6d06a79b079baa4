import { isForbiddenKey, type Json, type JsonArray } from "../../../model/json.ts";
import { keysOf } from "../comparison.ts";
import type { Call, FunctionDefinition } from "./function-definition.ts";

export const OBJECT_FUNCTIONS: readonly FunctionDefinition[] = [
  { name: "keys", arity: [1, 1], run: (call) => call.made(paidKeys(call, 0, 1)) },
  { name: "values", arity: [1, 1], run: values },
  { name: "items", arity: [1, 1], run: items },
  { name: "from_items", arity: [1, 1], run: fromItems },
  { name: "merge", arity: [0, Infinity], run: merge },
];

/** The keys of an object, with room paid for `slots` places for each. */
function paidKeys(call: Call, index: number, slots: number): readonly string[] {
  const keys = keysOf(call.object(index), call.fuel);
  call.fuel.slots(keys.length * slots);
  return keys;
}

function values(call: Call): Json {
  const object = call.object(0);
  return call.made(paidKeys(call, 0, 1).map((key) => object[key] ?? null));
}

function items(call: Call): Json {
  const object = call.object(0);
  const pair = (key: string): JsonArray => call.made([key, object[key] ?? null]);
  return call.made(paidKeys(call, 0, 3).map(pair));
}

function fromItems(call: Call): Json {
  const pairs = call.array(0);
  call.fuel.scan(pairs.length);
  call.fuel.slots(2 * pairs.length);
  const object: Record<string, Json> = {};
  for (const pair of pairs) {
    if (!Array.isArray(pair)) return call.refuse(0, "an array of arrays");
    const [key, value] = pair as JsonArray;
    if (pair.length !== 2 || typeof key !== "string") return call.refuseValue("expects pairs of a string and a value");
    setMember(call, object, key, value ?? null);
  }
  return call.made(object);
}

function merge(call: Call): Json {
  const merged: Record<string, Json> = {};
  call.all().forEach((_, index) => {
    const object = call.object(index);
    for (const key of paidKeys(call, index, 2)) setMember(call, merged, key, object[key] ?? null);
  });
  return call.made(merged);
}

function setMember(call: Call, object: Record<string, Json>, key: string, value: Json): void {
  if (isForbiddenKey(key)) call.refuseValue(`cannot make an object with the key "${key}"`);
  object[key] = value;
}

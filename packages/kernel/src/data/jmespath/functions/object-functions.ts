import { isForbiddenKey, type Json, type JsonArray } from "../../../model/json.ts";
import { meteredKeys } from "../comparison.ts";
import type { FunctionCall, FunctionDefinition } from "./function-definition.ts";

export const OBJECT_FUNCTIONS: readonly FunctionDefinition[] = [
  { name: "keys", arity: [1, 1], run: (call) => call.register(chargedKeys(call, 0, 1)) },
  { name: "values", arity: [1, 1], run: values },
  { name: "items", arity: [1, 1], run: items },
  { name: "from_items", arity: [1, 1], run: fromItems },
  { name: "merge", arity: [0, Infinity], run: merge },
];

/** The keys of an object, with `slots` slots charged for each. */
function chargedKeys(call: FunctionCall, index: number, slots: number): readonly string[] {
  const keys = meteredKeys(call.object(index), call.fuel);
  call.fuel.slots(keys.length * slots);
  return keys;
}

function values(call: FunctionCall): Json {
  const object = call.object(0);
  return call.register(chargedKeys(call, 0, 1).map((key) => object[key] ?? null));
}

function items(call: FunctionCall): Json {
  const object = call.object(0);
  const pair = (key: string): JsonArray => call.register([key, object[key] ?? null]);
  return call.register(chargedKeys(call, 0, 3).map(pair));
}

function fromItems(call: FunctionCall): Json {
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
  return call.register(object);
}

function merge(call: FunctionCall): Json {
  const merged: Record<string, Json> = {};
  call.all().forEach((_, index) => {
    const object = call.object(index);
    for (const key of chargedKeys(call, index, 2)) setMember(call, merged, key, object[key] ?? null);
  });
  return call.register(merged);
}

function setMember(call: FunctionCall, object: Record<string, Json>, key: string, value: Json): void {
  if (isForbiddenKey(key)) call.refuseValue(`cannot make an object with the key "${key}"`);
  object[key] = value;
}

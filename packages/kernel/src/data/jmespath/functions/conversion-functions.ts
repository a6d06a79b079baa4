import type { Json } from "../../../model/json.ts";
import { typeName } from "../type-name.ts";
import type { FunctionCall, FunctionDefinition } from "./function-definition.ts";
import { writeJson } from "./json-functions.ts";

export const CONVERSION_FUNCTIONS: readonly FunctionDefinition[] = [
  { name: "type", arity: [1, 1], run: (call) => typeName(call.any(0)) },
  { name: "to_array", arity: [1, 1], run: toArray },
  { name: "to_number", arity: [1, 1], run: toNumber },
  { name: "to_string", arity: [1, 1], run: toText },
  // Evaluated in `evaluate.ts`, because it does not evaluate the arguments after the first that is not null.
  { name: "not_null", arity: [1, Infinity], run: (call) => call.all().find((value) => value !== null) ?? null },
];

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Longer texts are not numbers that a person wrote. */
const NUMBER_LENGTH_MAX = 400;

function toArray(call: FunctionCall): Json {
  const value = call.any(0);
  if (Array.isArray(value)) return value;
  call.fuel.slots(1);
  return call.register([value]);
}

function toNumber(call: FunctionCall): Json {
  const value = call.any(0);
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.length > NUMBER_LENGTH_MAX || !JSON_NUMBER.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number + 0 : null;
}

function toText(call: FunctionCall): string {
  const value = call.any(0);
  return typeof value === "string" ? value : writeJson(call, value);
}

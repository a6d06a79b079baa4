// `from_json` and `to_json`: JSON text in, a value out, and the other way round. They are not part of JMESPath.
//
// Invariants
//   TEXT-1  The text is charged before it is parsed. If the text of the parsed value is longer (`1e20` is written with 21 digits), the
//           rest is charged afterwards. So a parsed value never has more bytes than the fuel allows (EVAL-3).
//   TEXT-2  A parsed value could also be a literal of an expression: numbers are finite, no key reaches a prototype, text is well
//           formed, and nesting is bounded. The recursion is bounded by the same depth.
//   TEXT-3  Messages do not depend on the version of the JSON parser.

import { isForbiddenKey, isJsonArray, type Json } from "../../../model/json.ts";
import { JSON_DEPTH_MAX } from "../../json-check.ts";
import { meteredKeys } from "../comparison.ts";
import { fail } from "../expression-failure.ts";
import { jsonSize } from "../json-size.ts";
import type { FunctionCall, FunctionDefinition } from "./function-definition.ts";

export const JSON_FUNCTIONS: readonly FunctionDefinition[] = [
  { name: "from_json", arity: [1, 1], run: fromJson },
  { name: "to_json", arity: [1, 1], run: (call) => writeJson(call, call.any(0)) },
];

/** How much of a text that is not JSON a message shows. */
const EXCERPT_LENGTH = 40;

function fromJson(call: FunctionCall): Json {
  const text = call.text(0);
  call.fuel.scanText(text.length);
  call.fuel.produce(text.length);
  const value = checkValue(call, parse(call, text), 0);
  call.fuel.produce(Math.max(0, jsonSize(value, call.fuel.limits.bytes) - text.length));
  return value;
}

/** The JSON text of a value, which is charged before it is made; measuring stops when the fuel would run out. */
export function writeJson(call: FunctionCall, value: Json): string {
  const size = jsonSize(value, call.fuel.limits.bytes - call.fuel.bytesUsed);
  call.fuel.scanText(size);
  call.fuel.produce(size);
  return call.madeText(JSON.stringify(value), size);
}

function parse(call: FunctionCall, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return call.refuseValue(`expects JSON text, got ${describeText(text)}`);
  }
}

function describeText(text: string): string {
  if (text.trim() === "") return "empty text";
  const start = Array.from(text.slice(0, 2 * EXCERPT_LENGTH))
    .slice(0, EXCERPT_LENGTH)
    .join("");
  const quoted = JSON.stringify(start.toWellFormed());
  return start.length < text.length ? `text of ${text.length} characters that begins with ${quoted}` : quoted;
}

/** The value, with zero in place of a negative zero. */
function checkValue(call: FunctionCall, value: Json, depth: number): Json {
  if (typeof value === "string" && !value.isWellFormed()) call.refuseValue("found text with a lone surrogate");
  if (typeof value === "number") return checkNumber(call, value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= JSON_DEPTH_MAX) {
    fail("EXPRESSION_TOO_DEEP", `from_json() accepts at most ${JSON_DEPTH_MAX} levels of nesting`);
  }
  if (isJsonArray(value)) {
    call.fuel.scan(value.length);
    return value.map((each) => checkValue(call, each, depth + 1));
  }
  const checked: Record<string, Json> = {};
  for (const key of meteredKeys(value, call.fuel)) {
    if (isForbiddenKey(key)) call.refuseValue(`cannot make an object with the key "${key}"`);
    if (!key.isWellFormed()) call.refuseValue("found a key with a lone surrogate");
    checked[key] = checkValue(call, value[key] ?? null, depth + 1);
  }
  return checked;
}

function checkNumber(call: FunctionCall, value: number): number {
  return Number.isFinite(value) ? value + 0 : call.refuseValue("found a number that is too large");
}

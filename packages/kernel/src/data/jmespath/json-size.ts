// The length of the JSON text of a value, in UTF-8 bytes, without building that text.
//
// Job: the exact length, or the information that it exceeds a budget.
//
// Invariants
//   SIZE-1  Work is bounded by the budget, not by the value: every part adds at least one byte before its own parts are visited.
//           Shared parts are counted each time they would be written.
//   SIZE-2  Recursion is bounded by VALUE_DEPTH_MAX.

import type { Json } from "../../model/json.ts";
import { fail } from "./expression-failure.ts";

/** The maximum depth of a value that is compared, measured or converted to text. */
const VALUE_DEPTH_MAX = 1500;

/** The size of the value if it is at most `budget`; otherwise some number above `budget`. */
export function jsonSize(value: Json, budget: number): number {
  return measure(value, 0, budget, 0);
}

function measure(value: Json, size: number, budget: number, depth: number): number {
  if (typeof value === "string") return size + textSize(value, budget - size);
  if (typeof value === "number") return size + String(value === 0 ? 0 : value).length;
  if (typeof value === "boolean") return size + (value ? 4 : 5);
  if (value === null) return size + 4;
  checkDepth(depth);
  return Array.isArray(value)
    ? measureArray(value, size, budget, depth)
    : measureObject(value as { readonly [key: string]: Json }, size, budget, depth);
}

function measureArray(array: readonly Json[], before: number, budget: number, depth: number): number {
  let size = before + 2 + Math.max(0, array.length - 1);
  for (let index = 0; index < array.length && size <= budget; index += 1) {
    size = measure(array[index] ?? null, size, budget, depth + 1);
  }
  return size;
}

function measureObject(
  object: { readonly [key: string]: Json },
  before: number,
  budget: number,
  depth: number,
): number {
  const keys = Object.keys(object);
  let size = before + 2 + Math.max(0, keys.length - 1);
  for (let index = 0; index < keys.length && size <= budget; index += 1) {
    const key = keys[index] ?? "";
    size = measure(object[key] ?? null, size + textSize(key, budget - size) + 1, budget, depth + 1);
  }
  return size;
}

export function checkDepth(depth: number): void {
  if (depth > VALUE_DEPTH_MAX) fail("EXPRESSION_TOO_DEEP", `A value nests more than ${VALUE_DEPTH_MAX} levels`);
}

/** The bytes of a text between quotes, with its escapes; stops counting above the budget. */
export function textSize(text: string, budget: number): number {
  let size = 2;
  for (let unit = 0; unit < text.length && size <= budget; unit += 1) {
    const code = text.charCodeAt(unit);
    if (code >= 0x80) {
      const pair = isPair(code, text.charCodeAt(unit + 1));
      size += pair ? 4 : wideSize(code);
      if (pair) unit += 1;
    } else size += asciiSize(code);
  }
  return size;
}

function asciiSize(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code >= 0x20) return 1;
  // \b \t \n \f \r have a short escape; \v does not.
  return code >= 0x08 && code <= 0x0d && code !== 0x0b ? 2 : 6;
}

/** A lone surrogate is written as an escape. */
function wideSize(code: number): number {
  if (code < 0x800) return 2;
  return code >= 0xd800 && code <= 0xdfff ? 6 : 3;
}

function isPair(high: number, low: number): boolean {
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}

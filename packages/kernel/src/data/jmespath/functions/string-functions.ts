// Functions on strings. Positions and lengths are in code points.

import { codePointLength, nextCodePoint, previousCodePoint, unitOffset } from "../code-points.ts";
import { clampPair } from "../slice.ts";
import type { FunctionCall, FunctionDefinition } from "./function-definition.ts";

export const STRING_FUNCTIONS: readonly FunctionDefinition[] = [
  { name: "starts_with", arity: [2, 2], run: (call) => call.text(0).startsWith(scannedText(call, 1)) },
  { name: "ends_with", arity: [2, 2], run: (call) => call.text(0).endsWith(scannedText(call, 1)) },
  { name: "find_first", arity: [2, 4], run: (call) => find(call, (text, needle) => text.indexOf(needle)) },
  { name: "find_last", arity: [2, 4], run: (call) => find(call, (text, needle) => text.lastIndexOf(needle)) },
  { name: "lower", arity: [1, 1], run: (call) => makeText(call, call.text(0), (text) => text.toLowerCase()) },
  { name: "upper", arity: [1, 1], run: (call) => makeText(call, call.text(0), (text) => text.toUpperCase()) },
  { name: "trim", arity: [1, 2], run: (call) => trim(call, true, true) },
  { name: "trim_left", arity: [1, 2], run: (call) => trim(call, true, false) },
  { name: "trim_right", arity: [1, 2], run: (call) => trim(call, false, true) },
  { name: "pad_left", arity: [2, 3], run: (call) => pad(call, (text, padding) => padding + text) },
  { name: "pad_right", arity: [2, 3], run: (call) => pad(call, (text, padding) => text + padding) },
];

function scannedText(call: FunctionCall, index: number): string {
  const text = call.text(index);
  call.fuel.scanText(text.length);
  return text;
}

/** A text about as long as its source. */
function makeText(call: FunctionCall, text: string, make: (text: string) => string): string {
  call.fuel.scanText(text.length);
  call.fuel.produce(text.length);
  return call.madeText(make(text), text.length);
}

function find(call: FunctionCall, search: (text: string, needle: string) => number): number | null {
  const [text, needle] = [call.text(0), call.text(1)];
  // A wrong type of any argument is reported before a wrong value.
  if (call.has(3)) call.number(3);
  const [start, end] = [call.integer(2, -Infinity), call.integer(3, -Infinity)];
  if (text === "" || needle === "") return null;
  call.fuel.search(text.length, needle.length);
  const [from, to] = clampPair(codePointLength(text), start, end);
  const part = text.slice(unitOffset(text, from), unitOffset(text, to));
  const unit = search(part, needle);
  return unit < 0 ? null : from + codePointLength(part.slice(0, unit));
}

const WHITESPACE = /[\s\u0085]/u;

function trim(call: FunctionCall, left: boolean, right: boolean): string {
  const text = call.text(0);
  const characters = call.has(1) ? call.text(1) : "";
  call.fuel.scanText(text.length + characters.length);
  call.fuel.produce(text.length);
  const set = new Set(characters);
  const goes = (character: string): boolean => (set.size === 0 ? WHITESPACE.test(character) : set.has(character));
  const from = left ? firstKept(text, goes) : 0;
  const to = right ? lastKept(text, from, goes) : text.length;
  return call.madeText(text.slice(from, to), text.length);
}

function firstKept(text: string, goes: (character: string) => boolean): number {
  let at = 0;
  while (at < text.length && goes(text.slice(at, nextCodePoint(text, at)))) at = nextCodePoint(text, at);
  return at;
}

function lastKept(text: string, from: number, goes: (character: string) => boolean): number {
  let at = text.length;
  while (at > from && goes(text.slice(previousCodePoint(text, at), at))) at = previousCodePoint(text, at);
  return at;
}

function pad(call: FunctionCall, join: (text: string, padding: string) => string): string {
  const text = call.text(0);
  const width = call.integer(1, 0) ?? 0;
  const padding = call.has(2) ? call.text(2) : " ";
  if (padding === "" || padding.length > 2 || codePointLength(padding) !== 1) {
    call.refuseValue("expects its padding to be exactly one character");
  }
  call.fuel.scanText(text.length);
  const missing = Math.max(0, width - codePointLength(text));
  const length = text.length + missing * padding.length;
  call.fuel.produce(length);
  return call.madeText(join(text, padding.repeat(missing)), length);
}

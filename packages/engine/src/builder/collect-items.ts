// Reads the source of a map into a list.
//
//   C1. Reading stops at the first problem: an item that is not JSON, a total above the value limit, or an aborted
//       signal. Stopping closes the source (`return`), so that it releases its resources.
//   C2. Memory never holds more than the value limit, even for an endless source.
//   C3. Each item is copied when the source yields it, because a source may yield the same object repeatedly.
//   C4. A source that never waits must not block the event loop, so that its signal can abort.

import { setImmediate as breath } from "node:timers/promises";
import { PermanentError, VALUE_BYTES_MAX, type Json, type JsonCheck } from "@segno/kernel";
import { safeCheck, WHOLE } from "../checks/copy-json.ts";

/** The number of items read before the loop yields. */
const BREATH_ITEMS = 4096;

type SourceErrorCode = "MAP_NOT_A_LIST" | "OUTPUT_NOT_JSON" | "VALUE_TOO_LARGE";

/** Permanent, because another attempt would read the same items. */
class SourceError extends PermanentError {
  readonly code: SourceErrorCode;

  constructor(code: SourceErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** `given` is the untyped result of the source. */
export async function collectItems(given: unknown, signal: AbortSignal): Promise<readonly Json[]> {
  const list = new ItemList();
  const source = checkedSource(given);
  if (Symbol.asyncIterator in source) {
    for await (const item of source) {
      if (list.add(item)) await breath();
      signal.throwIfAborted();
    }
  } else {
    for (const item of source) {
      if (list.add(item)) await breath();
      signal.throwIfAborted();
    }
  }
  return list.items;
}

function checkedSource(given: unknown): Iterable<unknown> | AsyncIterable<unknown> {
  // A string is an iterable of characters, which is hardly ever intended.
  if (typeof given === "object" && given !== null && (Symbol.asyncIterator in given || Symbol.iterator in given))
    return given as Iterable<unknown> | AsyncIterable<unknown>;
  const found = given === null || given === undefined ? String(given) : typeof given;
  throw new SourceError(
    "MAP_NOT_A_LIST",
    `the source returned ${typeNoun(found)}, not a list, an iterable or an async iterable`,
  );
}

function typeNoun(type: string): string {
  if (type === "null" || type === "undefined") return type;
  return type === "object" ? "an object" : `a ${type}`;
}

class ItemList {
  readonly items: Json[] = [];
  /** The size as JSON, with brackets and commas. */
  #bytes = 1;

  /** Returns true if the loop should yield. */
  add(item: unknown): boolean {
    const index = this.items.length;
    const text = itemText(item, index);
    this.#bytes += Buffer.byteLength(text) + 1;
    if (this.#bytes > VALUE_BYTES_MAX) throw tooLarge(index);
    this.items.push(typeof item === "object" ? (JSON.parse(text) as Json) : (item as Json));
    return this.items.length % BREATH_ITEMS === 0;
  }
}

function itemText(item: unknown, index: number): string {
  const check = checkItem(item);
  if (check.kind === "json") return JSON.stringify(check.json);
  if (check.kind === "too-large") throw tooLarge(index);
  const place = check.path === WHOLE ? "" : ` at ${check.path}`;
  throw new SourceError(
    "OUTPUT_NOT_JSON",
    `the item at index ${index} contains ${check.found}${place}, which is not JSON`,
  );
}

function checkItem(item: unknown): JsonCheck {
  if (item === undefined) return { kind: "not-json", path: WHOLE, found: "undefined" };
  return safeCheck(item);
}

function tooLarge(index: number): SourceError {
  const message =
    `the items up to index ${index} have more than the ${VALUE_BYTES_MAX} bytes that are allowed; ` +
    "use `executeBatch` for larger or unbounded sources";
  return new SourceError("VALUE_TOO_LARGE", message);
}

// Reads the source of a map into a list.
//
//   C1. The source is left as soon as something is wrong: an item that is no JSON, more than a value may have, a signal that
//       has fired. Leaving it closes it (`return`), so that what it holds is let go.
//   C2. No more is kept than a value may have, also of a source without end.
//   C3. An item is what it was when the source gave it: sources give the same object again and again.
//   C4. A source that never waits leaves the engine room to breathe, so that its signal can fire.

import { setImmediate as breath } from "node:timers/promises";
import { checkJson, PermanentError, VALUE_BYTES_MAX, type Json, type JsonCheck } from "@segno/kernel";
import { WHOLE } from "../checks/copy-json.ts";

/** So many items are read in one go. */
const BREATH_ITEMS = 4096;

type SourceErrorCode = "MAP_NOT_A_LIST" | "OUTPUT_NOT_JSON" | "VALUE_TOO_LARGE";

/** Trying again does not help: the next attempt reads the same. */
class SourceError extends PermanentError {
  readonly code: SourceErrorCode;

  constructor(code: SourceErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** `given` is what the source returned, and may be anything. */
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
  // A text is an iterable of characters, and hardly ever meant to be.
  if (typeof given === "object" && given !== null && (Symbol.asyncIterator in given || Symbol.iterator in given))
    return given as Iterable<unknown> | AsyncIterable<unknown>;
  const found = given === null || given === undefined ? String(given) : typeof given;
  throw new SourceError(
    "MAP_NOT_A_LIST",
    `the source gave ${typeNoun(found)}, not a list or something to iterate over`,
  );
}

function typeNoun(type: string): string {
  if (type === "null" || type === "undefined") return type;
  return type === "object" ? "an object" : `a ${type}`;
}

class ItemList {
  readonly items: Json[] = [];
  /** As JSON: what stands around the items and between them is counted with them. */
  #bytes = 1;

  /** Says whether it is time to breathe. */
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
    `the item at index ${index} holds ${check.found}${place}, which is not JSON`,
  );
}

function checkItem(item: unknown): JsonCheck {
  if (item === undefined) return { kind: "not-json", path: WHOLE, found: "undefined" };
  try {
    return checkJson(item);
  } catch {
    return { kind: "not-json", path: WHOLE, found: "something that throws when it is read" };
  }
}

function tooLarge(index: number): SourceError {
  const message =
    `the items up to index ${index} have more than the ${VALUE_BYTES_MAX} bytes that are allowed; ` +
    "what has more, or no end, is for `executeBatch`";
  return new SourceError("VALUE_TOO_LARGE", message);
}

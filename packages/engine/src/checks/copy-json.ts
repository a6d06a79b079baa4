// Copies and freezes values of a program: the program may change its own objects, and no reader can change the recorded
// ones (JOURNAL-2).

import { checkJson, formatJsonPath, SegnoError, VALUE_BYTES_MAX, type Json, type JsonCheck } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";

export type FrozenCopy =
  | { readonly kind: "copied"; readonly json: Json }
  | Extract<JsonCheck, { readonly kind: "not-json" }>
  /** `bytes` is absent if the value was too large to be encoded for measuring. */
  | { readonly kind: "too-large"; readonly bytes?: number };

/** Copies a checked value, or returns why it cannot be stored. */
export function frozenCopy(check: JsonCheck): FrozenCopy {
  if (check.kind !== "json") return check;
  const { json } = check;
  if (json === null || (typeof json !== "object" && typeof json !== "string")) return { kind: "copied", json };
  const text = JSON.stringify(json);
  const bytes = Buffer.byteLength(text);
  if (bytes > VALUE_BYTES_MAX) return { kind: "too-large", bytes };
  return typeof json === "string" ? { kind: "copied", json } : recheckedCopy(JSON.parse(text) as Json);
}

/** A getter may have returned something else to the check than to the serializer, so the copy is checked as well. */
function recheckedCopy(json: Json): FrozenCopy {
  const check = checkJson(json);
  return check.kind === "json" ? { kind: "copied", json: deepFreeze(json) } : check;
}

/** `what` begins the message: "the output", for example. */
export function tooLargeText(subject: string, bytes?: number): string {
  if (bytes === undefined) return `${subject} has more than the ${VALUE_BYTES_MAX} bytes that are allowed`;
  return `${subject} has ${bytes} bytes; ${VALUE_BYTES_MAX} are allowed`;
}

/** For values that are passed to the engine; `what` begins the message: "the input", for example. */
export function copyJson(subject: string, value: unknown): Json {
  const owned = ownedCopy(value);
  if (owned.kind === "copied") return owned.json;
  if (owned.kind === "too-large") throw new SegnoError("VALUE_TOO_LARGE", tooLargeText(subject, owned.bytes));
  const { path, found } = owned;
  const location = path === WHOLE ? "" : ` at ${path}`;
  throw new SegnoError("INPUT_INVALID", `${subject} holds ${found}${location}, which is not JSON`);
}

/** The path of the whole value, which is not a position in it. */
export const WHOLE: string = formatJsonPath([]);

const UNREADABLE: JsonCheck & FrozenCopy = {
  kind: "not-json",
  path: WHOLE,
  found: "a value that throws when it is read",
};

/** The check of a value that may throw when it is read. */
export function safeCheck(value: unknown): JsonCheck {
  try {
    return checkJson(value);
  } catch {
    return UNREADABLE;
  }
}

/** A copy of a value that may throw when it is read. */
export function ownedCopy(value: unknown): FrozenCopy {
  try {
    return frozenCopy(checkJson(value));
  } catch {
    return UNREADABLE;
  }
}

// Copies and freezes values of a program: the program may change its own objects, and no reader can change the recorded
// ones (JOURNAL-2).

import { checkJson, formatJsonPath, SegnoError, VALUE_BYTES_MAX, type Json, type JsonCheck } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";

export type FrozenCopy =
  | { readonly kind: "copied"; readonly json: Json }
  /** `bytes` is absent if the value was too large to be encoded for measuring. */
  | { readonly kind: "too-large"; readonly bytes?: number };

/** Copies a checked value. */
export function frozenCopy(check: Exclude<JsonCheck, { readonly kind: "not-json" }>): FrozenCopy {
  if (check.kind === "too-large") return check;
  const { json } = check;
  if (json === null || (typeof json !== "object" && typeof json !== "string")) return { kind: "copied", json };
  const text = JSON.stringify(json);
  const bytes = Buffer.byteLength(text);
  if (bytes > VALUE_BYTES_MAX) return { kind: "too-large", bytes };
  return { kind: "copied", json: typeof json === "string" ? json : deepFreeze(JSON.parse(text) as Json) };
}

/** `what` begins the message: "the output", for example. */
export function tooLargeText(subject: string, bytes?: number): string {
  if (bytes === undefined) return `${subject} has more than the ${VALUE_BYTES_MAX} bytes that are allowed`;
  return `${subject} has ${bytes} bytes; ${VALUE_BYTES_MAX} are allowed`;
}

/** For values that are passed to the engine; `what` begins the message: "the input", for example. */
export function copyJson(subject: string, value: unknown): Json {
  const owned = checkOwnJson(subject, value);
  if (owned.kind === "copied") return owned.json;
  throw new SegnoError("VALUE_TOO_LARGE", tooLargeText(subject, owned.bytes));
}

/** The path of the whole value, which is not a position in it. */
export const WHOLE: string = formatJsonPath([]);

function checkOwnJson(subject: string, value: unknown): FrozenCopy {
  let description = "a value that throws when it is read";
  let path = "";
  try {
    const check = checkJson(value);
    if (check.kind !== "not-json") return frozenCopy(check);
    ({ found: description, path } = check);
  } catch {
    // The error is thrown below.
  }
  const location = path === "" || path === WHOLE ? "" : ` at ${path}`;
  throw new SegnoError("INPUT_INVALID", `${subject} holds ${description}${location}, which is not JSON`);
}

// Values that come from a program become the engine's own: copied, so that whoever gave them may go on changing them, and
// frozen, so that whoever gets them cannot change what the journal says (JOURNAL-2).

import { checkJson, formatJsonPath, SegnoError, VALUE_BYTES_MAX, type Json, type JsonCheck } from "@segno/kernel";
import { deepFreeze } from "@segno/kernel/deep-freeze";

export type OwnedJson =
  | { readonly kind: "owned"; readonly json: Json }
  /** Without `bytes` where it was not even written out to be measured. */
  | { readonly kind: "too-large"; readonly bytes?: number };

/** Of what has been checked, and is JSON as far as that went. */
export function ownJson(check: Exclude<JsonCheck, { readonly kind: "not-json" }>): OwnedJson {
  if (check.kind === "too-large") return check;
  const { json } = check;
  if (json === null || (typeof json !== "object" && typeof json !== "string")) return { kind: "owned", json };
  const text = JSON.stringify(json);
  const bytes = Buffer.byteLength(text);
  if (bytes > VALUE_BYTES_MAX) return { kind: "too-large", bytes };
  return { kind: "owned", json: typeof json === "string" ? json : deepFreeze(JSON.parse(text) as Json) };
}

/** `what` begins the message: "the output", for example. */
export function tooLargeText(what: string, bytes?: number): string {
  if (bytes === undefined) return `${what} has more than the ${VALUE_BYTES_MAX} bytes that are allowed`;
  return `${what} has ${bytes} bytes; ${VALUE_BYTES_MAX} are allowed`;
}

/** For what is given to the engine itself; `what` begins the message: "the input", for example. */
export function copyJson(what: string, value: unknown): Json {
  const owned = checkOwnJson(what, value);
  if (owned.kind === "owned") return owned.json;
  throw new SegnoError("VALUE_TOO_LARGE", tooLargeText(what, owned.bytes));
}

/** The path of a value itself, which is no place in it. */
export const WHOLE: string = formatJsonPath([]);

function checkOwnJson(what: string, value: unknown): OwnedJson {
  let found = "something that throws when it is read";
  let path = "";
  try {
    const check = checkJson(value);
    if (check.kind !== "not-json") return ownJson(check);
    ({ found, path } = check);
  } catch {
    // Said below.
  }
  const place = path === "" || path === WHOLE ? "" : ` at ${path}`;
  throw new SegnoError("INPUT_INVALID", `${what} holds ${found}${place}, which is not JSON`);
}

// Values that come from a program become the engine's own: copied, so that whoever gave them may go on changing them, and
// frozen, so that whoever gets them cannot change what the journal says (JOURNAL-2).

import { deepFreeze } from "@segno/contract";
import { checkJson, formatJsonPath, SegnoError, VALUE_BYTES_MAX, type Json } from "@segno/kernel";

export type OwnedJson =
  | { readonly kind: "owned"; readonly json: Json }
  | { readonly kind: "too-large"; readonly bytes: number };

export function ownJson(json: Json): OwnedJson {
  if (typeof json !== "object" && typeof json !== "string") return { kind: "owned", json };
  const text = JSON.stringify(json);
  const bytes = Buffer.byteLength(text);
  if (bytes > VALUE_BYTES_MAX) return { kind: "too-large", bytes };
  return { kind: "owned", json: typeof json === "string" ? json : deepFreeze(JSON.parse(text) as Json) };
}

/** For what is given to the engine itself; `what` begins the message: "the input", for example. */
export function takeJson(what: string, value: unknown): Json {
  const owned = checked(what, value);
  if (owned.kind === "owned") return owned.json;
  throw new SegnoError("VALUE_TOO_LARGE", `${what} has ${owned.bytes} bytes; ${VALUE_BYTES_MAX} are allowed`);
}

/** The path of a value itself, which is no place in it. */
const WHOLE = formatJsonPath([]);

function checked(what: string, value: unknown): OwnedJson {
  let found = "something that throws when it is read";
  let path = "";
  try {
    const check = checkJson(value);
    if (check.kind === "json") return ownJson(check.json);
    ({ found, path } = check);
  } catch {
    // Said below.
  }
  const place = path === "" || path === WHOLE ? "" : ` at ${path}`;
  throw new SegnoError("INPUT_INVALID", `${what} holds ${found}${place}, which is not JSON`);
}

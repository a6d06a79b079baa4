// The body of an answer as a value: JSON as what it says, text as text, and anything else as bytes in base64. What it is, its
// content type says.

import { TextDecoder } from "node:util";
import { SegnoError, type Json } from "@segno/kernel";

export type MediaType =
  | { readonly kind: "json"; readonly name: string }
  | { readonly kind: "text"; readonly name: string; readonly charset: string }
  | { readonly kind: "bytes"; readonly name: string };

/** Formats that are text though their names do not say so. */
const TEXTS =
  /^(?:text\/|application\/(?:xml|yaml|x-yaml|javascript|x-ndjson|jsonl|x-www-form-urlencoded)$)|\+(?:xml|yaml)$/u;

/** Without a content type it is text, if it can be read as such. */
export function mediaType(contentType: string | undefined): MediaType {
  const name = (contentType ?? "").split(";")[0]!.trim().toLowerCase();
  if (name === "application/json" || name === "text/json" || name.endsWith("+json")) return { kind: "json", name };
  if (name !== "" && !TEXTS.test(name)) return { kind: "bytes", name };
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/iu.exec(contentType ?? "")?.[1] ?? "utf-8";
  return { kind: "text", name, charset: charset.toLowerCase() };
}

export function decodeBody(bytes: Uint8Array, type: MediaType): Json {
  if (bytes.length === 0 && type.name === "") return null;
  switch (type.kind) {
    case "json":
      return parseJsonBody(bytes);
    case "text":
      return decodeText(bytes, type.charset) ?? { base64: base64(bytes) };
    case "bytes":
      return { base64: base64(bytes) };
  }
}

/** Nothing when it is not what its charset says, or when that is one that is not read here. */
function decodeText(bytes: Uint8Array, charset: string): string | undefined {
  const decoder = DECODERS.get(charset);
  try {
    return decoder?.decode(bytes);
  } catch {
    return undefined;
  }
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });
const LATIN_1 = new TextDecoder("latin1");

const DECODERS: ReadonlyMap<string, TextDecoder> = new Map([
  ["utf-8", UTF_8],
  ["utf8", UTF_8],
  ["us-ascii", UTF_8],
  ["iso-8859-1", LATIN_1],
  ["latin1", LATIN_1],
  ["windows-1252", LATIN_1],
]);

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** As deep as any other output may be. */
const DEPTH_MAX = 64;

/** Nothing at all is null: many servers say that an empty answer is JSON. */
function parseJsonBody(bytes: Uint8Array): Json {
  if (bytes.length === 0) return null;
  const text = decodeText(bytes, "utf-8");
  if (text === undefined) throw invalidBodyError("is no UTF-8");
  if (isDeeper(text, DEPTH_MAX)) throw invalidBodyError(`is deeper than ${DEPTH_MAX} levels`);
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Its message would quote the body.
    throw invalidBodyError("is none");
  }
}

function invalidBodyError(what: string): SegnoError {
  return new SegnoError("HTTP_FAILED", `the answer says that it is JSON, but ${what}`);
}

/** Looked at before it is parsed: a few million brackets would become as many lists inside each other. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let place = 0; place < text.length; place++) {
    const character = text.charCodeAt(place);
    if (character === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) place += character === BACKSLASH ? 1 : 0;
    else if (OPENING.has(character) && ++depth > most) return true;
    else if (CLOSING.has(character)) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

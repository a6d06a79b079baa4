// The response body as a value, by content type: parsed JSON, text, or base64 for everything else.

import { TextDecoder } from "node:util";
import { SegnoError, type Json } from "@segno/kernel";

export type MediaType =
  | { readonly kind: "json"; readonly name: string }
  | { readonly kind: "text"; readonly name: string; readonly charset: string }
  | { readonly kind: "bytes"; readonly name: string };

/** Formats that are text although their names do not say so. */
const TEXT_TYPES =
  /^(?:text\/|application\/(?:xml|yaml|x-yaml|javascript|x-ndjson|jsonl|x-www-form-urlencoded)$)|\+(?:xml|yaml)$/u;

/** Without a content type, the body is text if it can be decoded. */
export function mediaType(contentType: string | undefined): MediaType {
  const name = (contentType ?? "").split(";")[0]!.trim().toLowerCase();
  if (name === "application/json" || name === "text/json" || name.endsWith("+json")) return { kind: "json", name };
  if (name !== "" && !TEXT_TYPES.test(name)) return { kind: "bytes", name };
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

/** Returns `undefined` if the bytes do not match the charset, or if the charset is not supported. */
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

/** The same depth as for any other output. */
const DEPTH_MAX = 64;

/** An empty body is null: many servers declare an empty response as JSON. */
function parseJsonBody(bytes: Uint8Array): Json {
  if (bytes.length === 0) return null;
  const text = decodeText(bytes, "utf-8");
  if (text === undefined) throw invalidBodyError("is not UTF-8");
  if (isDeeper(text, DEPTH_MAX)) throw invalidBodyError(`is deeper than ${DEPTH_MAX} levels`);
  try {
    return JSON.parse(text) as Json;
  } catch {
    // The parser's message would quote the body.
    throw invalidBodyError("is not valid JSON");
  }
}

function invalidBodyError(problem: string): SegnoError {
  return new SegnoError("HTTP_FAILED", `the response is declared as JSON, but ${problem}`);
}

/** Checks the depth before parsing: a few million brackets would become as many nested lists. */
function isDeeper(text: string, max: number): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) index += character === BACKSLASH ? 1 : 0;
    else if (OPENING.has(character) && ++depth > max) return true;
    else if (CLOSING.has(character)) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

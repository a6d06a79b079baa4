// Renders a URL: values become text, are encoded for their component, and are refused if they would leave it.
//
// Messages never hold values, because a URL may hold confidential data.

import type { UrlPart, UrlComponent } from "./template.ts";

export type RenderedUrl =
  | { readonly kind: "url"; readonly url: string }
  /** Why the value at this index among the parts is not allowed there. */
  | { readonly kind: "refused"; readonly part: number; readonly reason: string };

/** `texts` holds, for each part, the literal or the text of its value. */
export function renderUrl(parts: readonly UrlPart[], texts: readonly string[]): RenderedUrl {
  let url = "";
  for (const [part, text] of texts.entries()) {
    const { component } = partPosition(parts[part]!);
    const reason = component === undefined ? undefined : refusal(text, component);
    if (reason !== undefined) return { kind: "refused", part, reason };
    url += component === undefined ? text : encodeText(text, component);
  }
  const wrong = wrongSegment(parts, texts);
  return wrong === undefined ? { kind: "url", url } : { kind: "refused", ...wrong };
}

function partPosition(part: UrlPart): { readonly component?: UrlComponent } {
  return typeof part === "string" ? {} : part;
}

const HOST = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])$/u;
const PORT = /^\d{1,5}$/u;
/** Characters that URL parsers remove, or treat as `/`. */
const UNSAFE = /[\p{Cc}\s\\]/u;
const BASE = /^https?:\/\/(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(?:\/[^?#]*)?$/u;

function refusal(text: string, component: UrlComponent): string | undefined {
  switch (component) {
    case "base":
      return BASE.test(text) && !UNSAFE.test(text) ? undefined : "is not an origin such as `https://host:8080`";
    case "host":
      return HOST.test(text) ? undefined : "is not the name or the address of a host";
    case "port":
      return PORT.test(text) ? undefined : "is not the number of a port";
    case "path":
      return isCleanPath(text) ? undefined : "contains a control character, a `\\` or a lone surrogate";
    case "query":
    case "fragment":
      return text.isWellFormed() ? undefined : "contains a lone surrogate";
    case "whole":
      return undefined;
  }
}

/** Control characters, and characters that URL parsers treat as `/`. */
const UNSAFE_IN_PATH = /[\p{Cc}\\]/u;

function isCleanPath(text: string): boolean {
  return text.isWellFormed() && !UNSAFE_IN_PATH.test(decodeRepeatedly(text));
}

function encodeText(text: string, component: UrlComponent): string {
  const isData = component === "path" || component === "query" || component === "fragment";
  if (!isData) return component === "base" ? text.replace(/\/+$/u, "") : text;
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/gu,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

interface WrongSegment {
  readonly part: number;
  readonly reason: string;
}

/** The part whose value gives a path segment that leads elsewhere; undefined if there is none. */
function wrongSegment(parts: readonly UrlPart[], texts: readonly string[]): WrongSegment | undefined {
  let segment = "";
  let value: number | undefined;
  for (const [index, part] of parts.entries()) {
    const text = texts[index]!;
    if (typeof part !== "string") {
      if (part.component !== "path") continue;
      segment += text;
      value = index;
      continue;
    }
    const pieces = part.split(/[/?#]/u);
    for (const [at, piece] of pieces.entries()) {
      const reason = at > 0 && value !== undefined ? fault(segment) : undefined;
      if (reason !== undefined) return { part: value!, reason };
      if (at > 0) [segment, value] = ["", undefined];
      segment += piece;
    }
  }
  const reason = value === undefined ? undefined : fault(segment);
  return reason === undefined ? undefined : { part: value!, reason };
}

/** U4: an empty segment would name the collection instead of one member of it. */
function fault(segment: string): string | undefined {
  if (segment === "") return "is empty, so the URL would name another resource";
  return hasDotSegment(segment) ? "would lead to another path: it makes a segment `.` or `..`" : undefined;
}

/** Also covers servers that decode a URL once more than they should. */
function hasDotSegment(segment: string): boolean {
  return decodeRepeatedly(segment)
    .split(/[/\\]/u)
    .some((piece) => piece === "." || piece === "..");
}

const DECODINGS_MAX = 4;

/** The characters that have a meaning in a path, decoded repeatedly. */
function decodeRepeatedly(text: string): string {
  let current = text;
  for (let round = 0; round < DECODINGS_MAX; round++) {
    const next = current.replaceAll(/%([0-7][0-9A-Fa-f])/gu, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === current) return current;
    current = next;
  }
  return current;
}

// The variants of a secret: all encodings in which programs commonly write it (DATA-9).
//
// The search covers the secret itself, and its encodings as JSON (once and twice), for URLs, XML, HTML and shells, as
// base64 and as hexadecimal digits, contiguous and in pairs. A secret of several lines is also searched for line by
// line. A secret that is a JSON document is also searched for by the strings in it, because `jq -r .password` prints
// only such a string.
//
//   S1. A variant with fewer than six characters, without surrounding space, is not searched for: masking `{` or `test`
//       makes all output unreadable and protects nothing.
//   S2. Masking must not produce a variant. A variant that begins or ends with `*`, or contains `***`, might be
//       completed by the mask of another; so its longest part that cannot be completed is searched for, too.
//
// Not covered: a secret that was compressed, encrypted or hashed; one that a program cut into pieces, reversed or
// interleaved with other characters; bytes as decimal numbers; a buffer that Node.js prints only in part, if other
// bytes precede the secret; two different encodings on top of each other, other than escaped base64; base64 in lines if
// other data precedes the secret; lines that are too short by themselves; a number inside a JSON document; and up to
// four bits at either end of a secret in the middle of base64 data.

import { base64Variants } from "./base64-variants.ts";
import { jsonVariants } from "./json-variants.ts";
import { markupVariants, shellVariants, urlVariants } from "./text-variants.ts";

export const SECRET_CHARACTERS_MIN = 6;
/** A longer value is a file and not a secret, and its variants would cost too much memory. */
export const SECRET_CHARACTERS_MAX = 32_768;

/** The replacement of a secret. */
export const MASK = "***";

/**
 * Longer secrets of several lines are searched for as they are and line by line, but not in other encodings as a whole.
 */
const WHOLE_MAX = 1024;

/** The header and footer of a PEM key are the same for every key. */
const PEM_HEADER = /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/u;

/** Whether the value can be masked without masking ordinary text (S1, S2). */
export function isMaskable(value: string): boolean {
  return isLongEnough(trimmedCore(value));
}

/** All variants of a secret; empty if it is too short. */
export function secretVariants(value: string): ReadonlySet<string> {
  const variants = new Set<string>();
  for (const part of secretParts(value.toWellFormed())) {
    variants.add(part);
    if (part.length > WHOLE_MAX && part.includes("\n")) continue;
    for (const variant of encodings(part)) variants.add(variant);
  }
  return withTrimmedCores(variants);
}

function encodings(part: string): readonly string[] {
  const bytes = Buffer.from(part);
  const hex = bytes.toString("hex");
  return [
    ...jsonVariants(part),
    ...urlVariants(part),
    ...markupVariants(part),
    ...shellVariants(part),
    hex,
    hex.toUpperCase(),
    ...pairVariants(hex),
    ...base64Variants(bytes),
  ];
}

/** The number of bytes of a buffer that Node.js prints. */
const BUFFER_BYTES_SHOWN = 50;

/** Bytes as pairs of digits separated by spaces, as Node.js prints a buffer. */
function pairVariants(hex: string): readonly string[] {
  const spaced = hex.replaceAll(/..(?=.)/gu, "$& ");
  const shown = spaced.slice(0, BUFFER_BYTES_SHOWN * 3 - 1);
  return [spaced, spaced.toUpperCase(), shown, shown.toUpperCase()];
}

/** The secret and its parts, in all Unicode normal forms. */
function secretParts(value: string): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const text of [value, ...textsInJson(value)])
    for (const form of [text, text.normalize("NFC"), text.normalize("NFD")])
      for (const part of [form, ...splitLines(form)]) if (isMaskable(part)) parts.add(part);
  return parts;
}

function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/u);
  const own = lines.map((line) => line.trim()).filter((line) => !PEM_HEADER.test(line));
  return lines.length === 1 ? own : [lines.join("\n"), lines.join("\r\n"), text.trim(), ...own];
}

/** All strings in a JSON document that is an array or an object. */
function textsInJson(value: string): readonly string[] {
  if (!/^\s*[[{]/u.test(value)) return [];
  const texts: string[] = [];
  try {
    JSON.parse(value, (_, each: unknown) => (typeof each === "string" ? texts.push(each) : each));
  } catch {
    // The text is not JSON.
  }
  return texts.map((text) => text.toWellFormed());
}

function withTrimmedCores(variants: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const variant of variants) {
    const core = trimmedCore(variant);
    if (isLongEnough(core)) all.add(variant).add(core);
  }
  return all;
}

/**
 * The longest part that no mask can complete: no space or asterisk at its ends, and never three asterisks in a row
 * (S2).
 */
function trimmedCore(text: string): string {
  if (!text.includes("*")) return text.trim();
  return text
    .split(MASK)
    .map(withoutEdges)
    .reduce((longest, part) => (part.length > longest.length ? part : longest));
}

/** Not a regular expression for the end, which would be tried at every position. */
function withoutEdges(text: string): string {
  let end = text.length;
  while (end > 0 && isEdge(text[end - 1]!)) end--;
  let start = 0;
  while (start < end && isEdge(text[start]!)) start++;
  return text.slice(start, end);
}

function isEdge(character: string): boolean {
  return character === "*" || character.trim() === "";
}

/** Counts code points: a character outside the basic plane counts as one. */
function isLongEnough(text: string): boolean {
  if (text.length < SECRET_CHARACTERS_MIN) return false;
  return text.length >= 2 * SECRET_CHARACTERS_MIN || Array.from(text).length >= SECRET_CHARACTERS_MIN;
}

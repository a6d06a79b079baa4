// Variants: all the ways in which programs write a secret down, so that it is found whichever was used (DATA-9).
//
// A secret is looked for as it is, and encoded as JSON (once and twice), for URLs, XML, HTML and shells, as base64 and as
// hexadecimal digits, together and in pairs. A secret of several lines is also looked for line by line, and one that is a
// JSON document also by the texts in it: `jq -r .password` prints no more than that.
//
//   S1. Nothing is looked for that has fewer than six characters, not counting the space around it: masking `{` or `test`
//       makes everything unreadable and protects nothing.
//   S2. No variant can come about by masking. One that begins or ends with `*`, or holds `***`, might be completed by the
//       mask of another; so the longest part of it that cannot be completed is looked for too.
//
// Not covered: a secret that was compressed, encrypted or hashed; one that a program cut into pieces, reversed or spelled
// with other characters between; bytes as decimal numbers, and a buffer of which Node prints only a part, if something stands
// before the secret; two different encodings on top of each other, other than escaped base64; base64 in lines where
// something stands before the secret; lines that are too short by themselves; a number inside a JSON document; and up to
// four bits at either end of a secret in the middle of something that is base64.

import { base64Variants } from "./base64-variants.ts";
import { jsonVariants } from "./json-variants.ts";
import { markupVariants, shellVariants, urlVariants } from "./text-variants.ts";

export const SECRET_CHARACTERS_MIN = 6;
/** More is no secret but a file, and looking for all its variants would cost more memory than it is worth. */
export const SECRET_CHARACTERS_MAX = 32_768;

/** What replaces a secret. */
export const MASK = "***";

/** Longer ones of several lines are looked for as they are and line by line; in no other way as a whole. */
const WHOLE_MAX = 1024;

/** The lines around a key in PEM are the same in everybody's. */
const PEM_HEADER = /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/u;

/** Whether masking it is possible without masking ordinary text (S1, S2). */
export function isMaskable(value: string): boolean {
  return isLongEnough(trimmedCore(value));
}

/** Everything that is looked for because of a secret; nothing when it is too short. */
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

/** Node prints so many bytes of a buffer, and the number of the others. */
const BUFFER_BYTES_SHOWN = 50;

/** Bytes as pairs of digits with a space between, as Node prints a buffer. */
function pairVariants(hex: string): readonly string[] {
  const spaced = hex.replaceAll(/..(?=.)/gu, "$& ");
  const shown = spaced.slice(0, BUFFER_BYTES_SHOWN * 3 - 1);
  return [spaced, spaced.toUpperCase(), shown, shown.toUpperCase()];
}

/** The secret and what it is made of, in all forms that Unicode knows for the same text. */
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

/** All texts in a JSON document that is a list or an object. */
function textsInJson(value: string): readonly string[] {
  if (!/^\s*[[{]/u.test(value)) return [];
  const texts: string[] = [];
  try {
    JSON.parse(value, (_, each: unknown) => (typeof each === "string" ? texts.push(each) : each));
  } catch {
    // It only looked like one.
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

/** The longest part that no mask can complete: no space or asterisk at its ends, and never three asterisks in a row (S2). */
function trimmedCore(text: string): string {
  if (!text.includes("*")) return text.trim();
  return text
    .split(MASK)
    .map(withoutEdges)
    .reduce((longest, part) => (part.length > longest.length ? part : longest));
}

/** Not by a pattern that looks for the end: it would look from everywhere. */
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

/** Characters as people count them, more or less: a character outside the first plane is one. */
function isLongEnough(text: string): boolean {
  if (text.length < SECRET_CHARACTERS_MIN) return false;
  return text.length >= 2 * SECRET_CHARACTERS_MIN || Array.from(text).length >= SECRET_CHARACTERS_MIN;
}

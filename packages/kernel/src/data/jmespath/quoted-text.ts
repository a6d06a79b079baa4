// The quoted parts of an expression: 'raw strings', "identifiers" and `JSON literals`.
//
// Job: finds the end of each, so that their content is not read as syntax, and repairs one thing: the lexer unescapes only the first
// \` of a literal, so the others are written as the JSON escape \u0060, which means the same.
// Not its job: validating the text between the quotes; the lexer does that.

import { fail } from "./expression-failure.ts";

/** The maximum depth of a JSON value in backticks. */
const LITERAL_DEPTH_MAX = 64;

export function isQuote(character: string | undefined): boolean {
  return character === "'" || character === '"' || character === "`";
}

/** The offset after the closing quote of the quoted text that starts at `start`; -1 if it never closes. */
export function endOfQuoted(source: string, start: number): number {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === quote) return at + 1;
    if (source[at] === "\\" && (source[at + 1] === "\\" || source[at + 1] === quote)) at += 1;
  }
  return -1;
}

/** The source with its literals rewritten for the lexer; the rest is unchanged. */
export function repairQuoted(source: string): string {
  let repaired = "";
  let at = 0;
  while (at < source.length) {
    const end = isQuote(source[at]) ? endOfQuoted(source, at) : at + 1;
    if (end < 0) fail("EXPRESSION_SYNTAX", `The text that begins with ${source[at]} is not closed`, at);
    repaired += source[at] === "`" ? repairLiteral(source.slice(at, end), at) : source.slice(at, end);
    at = end;
  }
  return repaired;
}

function repairLiteral(literal: string, at: number): string {
  if (jsonDepth(literal) > LITERAL_DEPTH_MAX) {
    fail("EXPRESSION_TOO_DEEP", `A literal may nest at most ${LITERAL_DEPTH_MAX} levels`, at);
  }
  return literal.replaceAll(/\\[\\`]/gu, (pair) => (pair === "\\`" ? "\\u0060" : pair));
}

function jsonDepth(literal: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 1; at < literal.length; at += 1) {
    const character = literal[at];
    if (character === '"') at = Math.max(at, endOfQuoted(literal, at) - 1);
    else if (character === "[" || character === "{") deepest = Math.max(deepest, (depth += 1));
    else if (character === "]" || character === "}") depth -= 1;
  }
  return deepest;
}

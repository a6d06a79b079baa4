// Refuses documents that would exhaust the stack of the YAML composer (CONTRACT-9).
//
// The `yaml` package composes recursively. A 2 kB document of a thousand brackets overflows its stack, and a second such document
// in the same process makes V8 abort, which no code can catch. The package's lexer and its concrete parser are iterative and keep
// the open lists and maps in an array, so this file drives them token by token.
//
//   G1. Reading stops at the first token that is too deep; no deeper structure is built.
//   G2. The check is one comparison per token: it does not recurse and is not quadratic.

import { groupedDigits } from "../text/grouped-digits.ts";
import { Lexer, Parser } from "yaml";
import type { CST } from "yaml";

import { DOCUMENT_LIMITS } from "./document-limits.ts";
import { refuse } from "./node-problem.ts";

/** The parser's stack also holds the document and the scalar that is being read. */
const STACK_MAX = DOCUMENT_LIMITS.depth + 2;

export function guardedTokens(text: string): readonly CST.Token[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) accept(token, tokens);
    if (parser.stack.length > STACK_MAX) throw tooDeep(parser.offset);
    if (++count > DOCUMENT_LIMITS.tokens) throw tooMany(parser.offset);
  }
  for (const token of parser.end()) accept(token, tokens);
  return tokens;
}

function accept(token: CST.Token, tokens: CST.Token[]): void {
  if (token.type === "directive") {
    throw refuse(
      "YAML_REFUSED",
      token.offset,
      "expected no directives, found a line that starts with %",
      "remove it; contracts are YAML 1.2",
    );
  }
  if (token.type === "document" && tokens.some(({ type }) => type === "document")) {
    throw refuse(
      "YAML_REFUSED",
      token.offset,
      "expected one document, found a second one",
      "remove the `---`, or split the file",
    );
  }
  tokens.push(token);
}

export function tooDeep(offset: number): Error {
  return refuse(
    "CONTRACT_TOO_DEEP",
    offset,
    `expected at most ${DOCUMENT_LIMITS.depth} lists and maps inside each other, found more`,
  );
}

function tooMany(offset: number): Error {
  const limit = groupedDigits(DOCUMENT_LIMITS.tokens);
  return refuse("CONTRACT_TOO_LARGE", offset, `expected at most ${limit} tokens, found more`);
}

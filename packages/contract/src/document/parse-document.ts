// From text to JSON with places, or to every syntax error at once.

import { Composer } from "yaml";
import type { Document } from "yaml";

import { readJson, type ReadDocument } from "./json-reader.ts";
import { refuse, UnreadableDocument } from "./placed-problem.ts";
import { guardedTokens } from "./token-guard.ts";

export function parseDocument(text: string): ReadDocument {
  const document = composed(text);
  if (document === undefined || document.contents === null) {
    throw refuse("CONTRACT_EMPTY", 0, "expected a contract, found a document without content");
  }
  if (document.errors.length > 0) throw new UnreadableDocument(syntaxProblems(document));
  return readJson(document.contents);
}

/** Errors of the parser are made in great numbers by hostile text, and their stack traces are most of the cost. */
function composed(text: string): Document.Parsed | undefined {
  const tokens = guardedTokens(text);
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    const composer = new Composer({ version: "1.2", schema: "core", merge: false, uniqueKeys: false, resolveKnownTags: false });
    return [...composer.compose(tokens, false, text.length)][0] as Document.Parsed | undefined;
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function syntaxProblems(document: Document.Parsed): UnreadableDocument["problems"] {
  return document.errors.map((error) => ({ code: "CONTRACT_SYNTAX", path: [], offset: error.pos[0], message: `not well-formed YAML: ${lowered(error.message)}` }));
}

function lowered(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

// Parses text to JSON with positions, or throws an error with all syntax errors.

import { Composer, isScalar } from "yaml";
import type { Document } from "yaml";

import { readJson, type ReadDocument } from "./json-reader.ts";
import { refuse, UnreadableDocument, type NodeProblem } from "./node-problem.ts";
import type { SourceText } from "./source-text.ts";
import { guardedTokens } from "./token-guard.ts";

export function parseDocument(source: SourceText): ReadDocument {
  const document = composeDocument(source.text);
  if (document === undefined || isEmpty(document)) {
    throw refuse("CONTRACT_EMPTY", 0, "expected a contract, found a document without content");
  }
  if (document.errors.length > 0) throw new UnreadableDocument(syntaxProblems(document, source));
  return readJson(document.contents!);
}

/** Whether the document has only comments and document markers. A written `null` is a value. */
function isEmpty({ contents }: Document.Parsed): boolean {
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === "");
}

/** Hostile text causes very many errors of the parser, whose stack traces are most of the cost. */
function composeDocument(text: string): Document.Parsed | undefined {
  const tokens = guardedTokens(text);
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    const composer = new Composer({
      version: "1.2",
      schema: "core",
      merge: false,
      uniqueKeys: false,
      resolveKnownTags: false,
    });
    return [...composer.compose(tokens, false, text.length)][0];
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** The usual cause is unquoted text with `: ` in it, such as a script that prints a colon. */
const COLON_HINT = "put text with a colon and a space in quotes; write a script below `run: |`, on its own lines";

/** Keeps the first error of each line: further errors in a line are mostly consequences of the first. */
function syntaxProblems(document: Document.Parsed, source: SourceText): readonly NodeProblem[] {
  const byLine = new Map<number, NodeProblem>();
  for (const { pos, code, message } of document.errors) {
    const { line } = source.position(pos[0]);
    if (byLine.has(line)) continue;
    byLine.set(line, {
      code: "CONTRACT_SYNTAX",
      path: [],
      offset: pos[0],
      message: `expected well-formed YAML or JSON: ${lowerFirst(message)}`,
      ...(code === "BLOCK_AS_IMPLICIT_KEY" ? { hint: COLON_HINT } : {}),
    });
  }
  return [...byLine.values()];
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

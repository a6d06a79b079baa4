// Reading an expression: text in, a tree or a problem out, never an exception.
//
// Not its job: what the roots of an expression are (`steps`, `input`, …), and whether they exist.

import { compile } from "@jmespath-community/jmespath";
import { normalizeSource } from "./source-normalizer.ts";
import { compileNode } from "./compiler.ts";
import type { ExpressionCode } from "./expression-code.ts";
import { ExpressionFailure, fail } from "./expression-failure.ts";
import type { LibraryNode } from "./library-node.ts";
import type { ExpressionNode } from "./node.ts";
import { repairQuoted } from "./quoted-text.ts";
import { syntaxMessage } from "./syntax-message.ts";

export const EXPRESSION_LENGTH_MAX = 4096;

export interface Expression {
  readonly source: string;
  readonly root: ExpressionNode;
}

/** A message shows so much of a source: one expression can be at fault in hundreds of places. */
const SHOWN_LENGTH_MAX = 240;

/** A source as it stands in a message. One that has backticks of its own gets no others: two of them are hard to read. */
export function inBackticks(source: string): string {
  const shown = source.length > SHOWN_LENGTH_MAX ? `${source.slice(0, SHOWN_LENGTH_MAX)}…` : source;
  return shown.includes("`") ? shown : `\`${shown}\``;
}

export interface ExpressionProblem {
  readonly kind: "problem";
  readonly code: ExpressionCode;
  readonly message: string;
  /** Offset in the source, where it is known. */
  readonly at?: number;
}

export type ParsedExpression = { readonly kind: "expression"; readonly expression: Expression } | ExpressionProblem;

export function parseExpression(source: string): ParsedExpression {
  try {
    return { kind: "expression", expression: Object.freeze({ source, root: compileNode(parse(source)) }) };
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error;
    const { code, message, at } = error;
    return at === undefined ? { kind: "problem", code, message } : { kind: "problem", code, message, at };
  }
}

function parse(source: string): LibraryNode {
  if (source.length > EXPRESSION_LENGTH_MAX) {
    fail(
      "EXPRESSION_TOO_LONG",
      `An expression has at most ${EXPRESSION_LENGTH_MAX} characters, this one has ${source.length}`,
    );
  }
  if (source.trim() === "") fail("EXPRESSION_SYNTAX", "The expression is empty", 0);
  const canonical = normalizeSource(repairQuoted(source));
  try {
    return compile(canonical);
  } catch (error) {
    return fail("EXPRESSION_SYNTAX", syntaxMessage(error as Error));
  }
}

// Parses an expression: text in, a tree or a problem out, never an exception.
//
// Not its job: the roots of an expression (`steps`, `input`, …), and whether they exist.

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

/** The length of a source in a message: one expression can cause hundreds of problems. */
const SHOWN_LENGTH_MAX = 240;

/** A source as quoted in a message. A source that contains backticks is not quoted again: nested backticks are hard to read. */
export function inBackticks(source: string): string {
  const shown = source.length > SHOWN_LENGTH_MAX ? `${source.slice(0, SHOWN_LENGTH_MAX)}…` : source;
  return shown.includes("`") ? shown : `\`${shown}\``;
}

export interface ExpressionProblem {
  readonly kind: "problem";
  readonly code: ExpressionCode;
  readonly message: string;
  /** Offset in the source, if it is known. */
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

// Formats problems for people: position, message, the lines with a mark under the column, and the hint.
//
//   F1. The output has no escape sequences unless the caller asks for colour; text of the document is escaped first.
//   F2. A frame costs the same for a long line as for a short one, because only the shown part is processed.

import { groupedDigits } from "../text/grouped-digits.ts";
import util from "node:util";

import type { LocatedProblem } from "./contract-error.ts";
import { codeFrame } from "../text/code-frame.ts";
import { escapeText } from "../text/escape-text.ts";

/** How `formatProblems` prints. */
export interface FormatOptions {
  /** Whether the text has ANSI colours. The default is false. */
  readonly color?: boolean;
  /** How many problems are shown in full. */
  readonly limit?: number;
}

const LIMIT_DEFAULT = 50;

type ProblemStyle = "bold" | "red" | "cyan" | "dim";
type ProblemPaint = (style: ProblemStyle, text: string) => string;

/** Formats the problems of a document for people: position, code, message, source lines and hint. `text` is the document. */
export function formatProblems(
  problems: readonly LocatedProblem[],
  text: string | undefined,
  { color = false, limit = LIMIT_DEFAULT }: FormatOptions = {},
): string {
  const paint: ProblemPaint = color
    ? (style, part) => util.styleText(style, part, { validateStream: false })
    : (_, part) => part;
  const lines = text === undefined ? [] : text.replace(/^\uFEFF/u, "").split("\n");
  const listed = problems.filter(({ code }) => code !== "PROBLEMS_OMITTED");
  const shown = listed.slice(0, limit).map((problem) => formatProblem(problem, lines, paint));
  const rest = listed.length - shown.length;
  if (rest > 0) shown.push(`… and ${groupedDigits(rest)} more problem${rest === 1 ? "" : "s"}\n`);
  const omission = problems.find(({ code }) => code === "PROBLEMS_OMITTED");
  if (omission !== undefined) shown.push(`${paint("red", omission.code)}\n  ${omission.message}\n`);
  return shown.join("\n");
}

function formatProblem(problem: LocatedProblem, lines: readonly string[], paint: ProblemPaint): string {
  const { file, line, column, code, message, hint } = problem;
  const location = paint("bold", `${escapeText(file)}:${line}:${column}`);
  const parts = [`${location} ${paint("red", code)}`, `  ${escapeText(message)}`];
  const frame = codeFrame(lines, line, column);
  if (frame !== undefined)
    parts.push(
      ...frame.map(({ kind, text }) =>
        kind === "mark" ? paint("red", text) : kind === "context" ? paint("dim", text) : text,
      ),
    );
  if (hint !== undefined) parts.push(`  ${paint("cyan", "hint:")} ${escapeText(hint)}`);
  return `${parts.join("\n")}\n`;
}

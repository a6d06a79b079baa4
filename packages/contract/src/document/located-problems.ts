// Gives problems their lines and columns, and sorts them as GRAPH-6 requires.

import type { KernelErrorCode, Problem } from "@segno/kernel";

import type { LocatedProblem } from "../errors/contract-error.ts";
import { escapeText } from "../text/escape-text.ts";
import { boundedProblems } from "./bounded-problems.ts";
import type { ReadDocument } from "./json-reader.ts";
import type { NodeProblem } from "./node-problem.ts";
import { locate } from "./source-map.ts";
import type { SourceText } from "./source-text.ts";

/** Problems between steps, which come after those of a single position (GRAPH-6). */
const BETWEEN_STEPS: ReadonlySet<string> = new Set<KernelErrorCode>([
  "DUPLICATE_STEP",
  "UNKNOWN_DEPENDENCY",
  "UNKNOWN_FALLBACK",
  "FALLBACK_SHARED",
  "FALLBACK_DEPENDS",
  "FALLBACK_NEEDED",
  "UNKNOWN_STEP",
  "READ_TOO_EARLY",
  "WRITES_UNORDERED",
]);

export function locatedProblems(
  problems: readonly NodeProblem[],
  file: string,
  source: SourceText,
): readonly LocatedProblem[] {
  const sorted = problems.toSorted((a, b) => rank(a) - rank(b) || a.offset - b.offset);
  return boundedProblems(sorted).map((problem) => locatedProblem(problem, file, source));
}

/** Adds the position of the value at the problem's path. */
export function attachPosition(
  problem: Problem,
  { source }: ReadDocument,
  target: "value" | "key" = "value",
): NodeProblem {
  const { code, path, message, hint } = problem;
  return { code, path, message, ...(hint === undefined ? {} : { hint }), offset: locate(source, path, target) };
}

function rank({ code }: Problem): number {
  if (code === "DEPENDENCY_CYCLE") return 2;
  return BETWEEN_STEPS.has(code) ? 1 : 0;
}

function locatedProblem(
  { code, path, message, hint, offset }: NodeProblem,
  file: string,
  source: SourceText,
): LocatedProblem {
  const { line, column } = source.position(offset);
  const located = { code, file, line, column, path, message: escapeText(message) };
  return hint === undefined ? located : { ...located, hint: escapeText(hint) };
}

// Limits the problems of a document: the first ones are listed, and one more problem says how many were left out (CONTRACT-9).

import { groupedDigits } from "../text/grouped-digits.ts";
import type { Problem } from "@segno/kernel";

import { DOCUMENT_LIMITS } from "./document-limits.ts";

/** The last of the returned problems has the position of the first one that is left out. */
export function boundedProblems<Each extends Problem>(problems: readonly Each[]): readonly Each[] {
  const omitted = problems.length - DOCUMENT_LIMITS.problems;
  const first = problems[DOCUMENT_LIMITS.problems];
  if (first === undefined) return problems;
  const { hint: _, ...location } = first;
  const message = `${groupedDigits(omitted)} more problem${omitted === 1 ? " is" : "s are"} not listed`;
  const last = { ...location, code: "PROBLEMS_OMITTED", message } as Each;
  return [...problems.slice(0, DOCUMENT_LIMITS.problems), last];
}

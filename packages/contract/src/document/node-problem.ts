import type { Problem } from "@segno/kernel";

/** A problem and its offset in the text of the document. */
export interface NodeProblem extends Problem {
  readonly offset: number;
}

/** Thrown when a document cannot be read any further. It has all problems that were found so far. */
export class UnreadableDocument extends Error {
  override readonly name: string = "UnreadableDocument";
  readonly problems: readonly NodeProblem[];

  constructor(problems: readonly NodeProblem[]) {
    super(problems[0]?.message ?? "unreadable");
    this.problems = problems;
  }
}

export function refuse(code: Problem["code"], offset: number, message: string, hint?: string): UnreadableDocument {
  return new UnreadableDocument([{ code, path: [], offset, message, ...(hint === undefined ? {} : { hint }) }]);
}

import type { Problem } from "@segno/kernel";

/** A problem and the offset in the document's text where it shows. */
export interface NodeProblem extends Problem {
  readonly offset: number;
}

/** Thrown where a document cannot be read any further; what was found so far is all there is to say. */
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

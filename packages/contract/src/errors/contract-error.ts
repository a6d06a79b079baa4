import { SegnoError, type Problem } from "@segno/kernel";

/** A problem with its position in the text. Lines and columns count from 1; columns are UTF-16 units. */
export interface LocatedProblem extends Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Reports all problems of an invalid contract. */
export class ContractError extends SegnoError {
  override readonly name: string = "ContractError";
  /** All problems of the document, each with its position. */
  readonly problems: readonly LocatedProblem[];

  constructor(problems: readonly LocatedProblem[]) {
    super("CONTRACT_INVALID", summary(problems));
    this.problems = problems;
  }
}

function summary(problems: readonly LocatedProblem[]): string {
  const [first] = problems;
  if (first === undefined) return "the contract is not valid";
  const others = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  return `${first.file}:${first.line}:${first.column}: ${first.message}${others}`;
}

import { SegnoError } from "@segno/kernel";

/** One problem. The reason is stable and in kebab-case; the path is written as people write it. */
export interface PlannerProblem {
  readonly reason: string;
  readonly path: string;
  readonly message: string;
}

/** Reports all problems of a model, a mode, a workflow or a call. */
export class ValidationError extends SegnoError {
  override readonly name: string = "ValidationError";
  /** All problems of the model. */
  readonly problems: readonly PlannerProblem[];

  constructor(subject: string, problems: readonly PlannerProblem[]) {
    super("VALIDATION_ERROR", summary(subject, problems));
    this.problems = Object.freeze(problems.map((problem) => Object.freeze({ ...problem })));
  }
}

/** A workflow may have very many problems; the message is one line and names the first few. */
const SHOWN_MAX = 5;

function summary(subject: string, problems: readonly PlannerProblem[]): string {
  const shown = problems.slice(0, SHOWN_MAX).map(({ path, message }) => `${path}: ${message}`);
  const others = problems.length > SHOWN_MAX ? `; and ${problems.length - SHOWN_MAX} more` : "";
  return `${subject} is not valid: ${shown.join("; ")}${others}`;
}

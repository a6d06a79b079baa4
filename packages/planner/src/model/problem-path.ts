import { formatJsonPath, type JsonPath } from "@segno/kernel";
import type { PlannerProblem } from "../errors/validation-error.ts";

/** The path to a value that is being checked, together with the list that collects its problems. */
export class ProblemPath {
  readonly #problems: PlannerProblem[];
  readonly #path: JsonPath;

  constructor(problems: PlannerProblem[], path: JsonPath = []) {
    this.#problems = problems;
    this.#path = path;
  }

  at(...parts: JsonPath): ProblemPath {
    return new ProblemPath(this.#problems, [...this.#path, ...parts]);
  }

  /** Returns nothing, so that a check can end with it. */
  report(reason: string, message: string): undefined {
    this.#problems.push({ reason, path: formatJsonPath(this.#path), message });
    return undefined;
  }
}

// The ids of operations that were used, so that each operation gets an id of its own.

import { comparableId, uuid } from "../model/check.ts";
import { ProblemPath } from "../model/problem-path.ts";
import { ValidationError, type PlannerProblem } from "../errors/validation-error.ts";

/** How many of the latest ids are remembered. A program does not use one input for so many calls of one orchestrator. */
const REMEMBERED_MAX = 10_000;

export class UsedIds {
  readonly #used = new Set<string>();

  /** Returns the wanted id, or a new one if it was used before. */
  unusedId(preferred: string, newId: () => string): string {
    const id = this.#used.has(comparableId(preferred)) ? checkedId(newId()) : preferred;
    this.#used.add(comparableId(id));
    if (this.#used.size > REMEMBERED_MAX) for (const oldest of this.#used) return this.#forget(oldest, id);
    return id;
  }

  #forget(oldest: string, id: string): string {
    this.#used.delete(oldest);
    return id;
  }
}

function checkedId(id: unknown): string {
  const problems: PlannerProblem[] = [];
  const checked = uuid(id, new ProblemPath(problems, ["newId"]));
  if (checked === undefined) throw new ValidationError("the source of ids", problems);
  return checked;
}

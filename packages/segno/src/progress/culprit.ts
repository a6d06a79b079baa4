// Finds the step that made an execution fail: the innermost failed step inside the scopes that failed.

import type { StepProgress } from "./step-progress.ts";

export class Culprit {
  /** The step that failed the execution, if a step did. */
  #failed: number | undefined;
  /** By scope: the step inside that failed the scope. */
  readonly #children = new Map<number, number>();

  failsExecution(step: number | undefined): void {
    if (step !== undefined) this.#failed = step;
  }

  failsScope(scope: number, child: number | undefined): void {
    if (child !== undefined) this.#children.set(scope, child);
  }

  forget(): void {
    this.#failed = undefined;
    this.#children.clear();
  }

  in(steps: ReadonlyMap<number, StepProgress>): StepProgress | undefined {
    let index = this.#failed;
    for (let child = index; child !== undefined; child = this.#children.get(child)) index = child;
    const known = index === undefined ? undefined : steps.get(index);
    return known === undefined ? undefined : innermost(known, steps);
  }
}

/** For missed events: the first failed step inside `known` that contains no other failed step. */
function innermost(known: StepProgress, steps: ReadonlyMap<number, StepProgress>): StepProgress {
  const inside = [...steps.values()].filter(
    ({ name, status }) => status === "failed" && name.startsWith(`${known.name}/`),
  );
  return inside.find(({ name }) => !inside.some((other) => other.name.startsWith(`${name}/`))) ?? known;
}

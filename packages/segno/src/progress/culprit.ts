// The step to look at when an execution has failed: the one inside the scopes that made them fail.

import type { StepProgress } from "./step-progress.ts";

export class Culprit {
  /** The step that failed the execution, as far as one did. */
  #failed: number | undefined;
  /** By a scope, the step inside that failed it. */
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

/** Where events were missed: the first that failed inside and is not the scope of another that did. */
function innermost(known: StepProgress, steps: ReadonlyMap<number, StepProgress>): StepProgress {
  const inside = [...steps.values()].filter(
    ({ name, status }) => status === "failed" && name.startsWith(`${known.name}/`),
  );
  return inside.find(({ name }) => !inside.some((other) => other.name.startsWith(`${name}/`))) ?? known;
}

// The step that made an execution fail: the innermost step, inside the scopes that failed because of it.

import type { StepIndex } from "../model/units.ts";
import { latestRegion } from "../state/latest-region.ts";
import type { State } from "../state/state.ts";

/** Undefined if no step made the execution fail. A scope that timed out is itself the failed step. */
export function failedStep(state: State): StepIndex | undefined {
  let failed = state.failure?.step;
  for (let step: number | undefined = failed; step !== undefined; step = failedChild(state, step))
    failed = step as StepIndex;
  return failed;
}

function failedChild(state: State, step: number): number | undefined {
  return latestRegion(state, step)?.failure?.child;
}

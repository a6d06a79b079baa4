// What the failure of an action means for the others of its plan (PLAN-8). The source gives an action no field for it, so it is
// kept beside the action and not in it: it is known in the process that planned, and lost when the action travels as JSON.

import type { Action } from "./action.ts";

const TOLERANT = new WeakSet<Action>();

/** The step of this action has an error action, or a failure strategy, that lets the plan go on. */
export function letOthersGoOn(action: Action): void {
  TOLERANT.add(action);
}

/** Whether the others go on when this action fails, as far as its planner said so. */
export function letsOthersGoOn(action: Action): boolean {
  return TOLERANT.has(action);
}

// Records whether the plan goes on when one of its actions fails (PLAN-8). The source has no field for this in an action, so this
// file keeps it beside the action: the process that planned knows it, and an action that is sent as JSON loses it.

import type { Action } from "./action.ts";

const TOLERANT = new WeakSet<Action>();

/** Records that the error action of the step, or its failure strategy, lets the plan go on. */
export function markTolerant(action: Action): void {
  TOLERANT.add(action);
}

/** Whether the planner recorded that the plan goes on when this action fails. */
export function isTolerant(action: Action): boolean {
  return TOLERANT.has(action);
}

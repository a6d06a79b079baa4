// Whether a step may start now.

import type { Region } from "./region.ts";
import { findRegion } from "./step-position.ts";
import type { State } from "./state.ts";

/** Whether a region belongs to a compensation: the compensation itself, or a child region of it. */
export function isUndoing(state: State, region: Region): boolean {
  return region.kind === "compensation" || (region.parent >= 0 && isUndoing(state, findRegion(state, region.parent)));
}

/** Whether a region may run steps at all. While an execution is cancelled, only its compensation runs. */
export function mayRun(state: State, step: number): boolean {
  switch (state.baseStatus) {
    case "running":
    case "failing":
      return true;
    case "cancelling":
      return isUndoing(state, findRegion(state, step));
    default:
      return false;
  }
}

/** Whether a region may start steps now: a paused or parked execution starts nothing (CANCEL-7). */
export function mayStart(state: State, step: number): boolean {
  return state.hold === undefined && mayRun(state, step);
}

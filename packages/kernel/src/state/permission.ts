// Whether anything may start now.

import type { Region } from "./region.ts";
import { findRegion } from "./step-position.ts";
import type { State } from "./state.ts";

/** Whether a region is part of undoing: a compensation, or what one of its steps opened into. */
export function isUndoing(state: State, region: Region): boolean {
  return region.kind === "compensation" || (region.parent >= 0 && isUndoing(state, findRegion(state, region.parent)));
}

/** What may be run or tried again at all. While an execution is cancelled, only its undoing goes on. */
export function mayRun(state: State, step: number): boolean {
  switch (state.base) {
    case "running":
    case "failing":
      return true;
    case "cancelling":
      return isUndoing(state, findRegion(state, step));
    default:
      return false;
  }
}

/** What may start now: a paused or parked execution starts nothing (CANCEL-7). */
export function mayStart(state: State, step: number): boolean {
  return state.hold === undefined && mayRun(state, step);
}

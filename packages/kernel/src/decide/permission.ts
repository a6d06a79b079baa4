// Whether anything may start now.

import { regionOf, type State } from "./state.ts";

/** What may be run or tried again at all. While an execution is cancelled, only its undoing goes on. */
export function mayRun(state: State, step: number): boolean {
  switch (state.base) {
    case "running":
    case "failing":
      return true;
    case "cancelling":
      return regionOf(state, step).kind === "compensation";
    default:
      return false;
  }
}

/** What may start now: a paused or parked execution starts nothing (CANCEL-7). */
export function mayStart(state: State, step: number): boolean {
  return state.hold === undefined && mayRun(state, step);
}

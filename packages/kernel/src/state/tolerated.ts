// Failures that an execution tolerates: items of a map with a tolerance, and steps with `onError: continue` (STATE-7).
//
//   TF1. A failure inside a repetition is not one of them: the later iterations have used its result.
//   TF2. The numbers cost as much as there are maps with failed items and failed steps with `onError: continue`.

import { latestRegion } from "./latest-region.ts";
import { FAILED, OPEN, SUCCEEDED } from "./phase.ts";
import type { Region } from "./region.ts";
import { findRegion } from "./step-position.ts";
import type { State } from "./state.ts";

/** The number of items and of steps. */
export function toleratedFailureCount(state: State): number {
  let count = 0;
  for (const region of toleratingMaps(state)) count += region.failedInstances.size;
  for (const _ of toleratedSteps(state)) count++;
  return count;
}

/** The maps that have failed items and did not fail because of them. */
export function* toleratingMaps(state: State): Generator<Region> {
  for (const region of state.failedMaps) {
    const phase = state.columns.phase[region.parent];
    const isTolerating = phase === SUCCEEDED || (phase === OPEN && region.failure === undefined);
    if (region.failedInstances.size > 0 && isTolerating && isCurrent(state, region)) yield region;
  }
}

/** The steps with `onError: continue` that failed for good. */
export function* toleratedSteps(state: State): Generator<number> {
  for (const step of state.continuedFailures)
    if (state.columns.phase[step] === FAILED && isCurrent(state, findRegion(state, step))) yield step;
}

/** Neither the region nor one around it started over, or is an iteration (TF1). */
function isCurrent(state: State, region: Region): boolean {
  for (let current = region; ; current = findRegion(state, current.parent)) {
    if (current.kind === "compensation" || current.kind === "iteration") return false;
    if (latestRegion(state, current.parent) !== current) return false;
    if (current.parent < 0) return true;
  }
}

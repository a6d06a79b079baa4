// The steps that a deadline could still stop. If an execution or a scope fails and only its clean-up is left, its deadline changes
// nothing, so its timer is not needed.
//
//   S1. The result is what `stopFailing` would stop: clean-up is left out with everything inside it, and so are compensations.
//   S2. Once there is nothing to stop, there never will be, until another round sets a new deadline.

import { isUndoing } from "../state/permission.ts";
import { CANCELLING, isTerminalPhase } from "../state/phase.ts";
import { compiledStep, findRegion } from "../state/step-position.ts";
import { localStep, type Region } from "../state/region.ts";
import type { State } from "../state/state.ts";

/** Stands for the execution itself, in place of a step. */
export const ROOT_SCOPE = -1;

/** The open steps, and the execution, that contain a step to stop. Each region is examined once. */
export function scopesWithStoppable(state: State): ReadonlySet<number> {
  const scopes = new Set<number>();
  for (const region of state.regions)
    if (region.unsettled > 0 && !isUndoing(state, region) && hasStoppable(state, region))
      addEnclosingScopes(state, region, scopes);
  return scopes;
}

/** Every scope around a region, up to a scope that is clean-up for the enclosing ones. */
function addEnclosingScopes(state: State, region: Region, scopes: Set<number>): void {
  for (let { parent } = region; ; { parent } = findRegion(state, parent)) {
    if (scopes.has(parent)) return;
    scopes.add(parent);
    if (parent === ROOT_SCOPE || compiledStep(state, parent).isCleanUp) return;
  }
}

function hasStoppable(state: State, region: Region): boolean {
  for (let step = region.base; step < region.base + region.size; step++)
    if (isStoppable(state, step) && !region.program.steps[localStep(region, step)]!.isCleanUp) return true;
  return false;
}

/** A step that was told to stop is not told again, unless its attempt timed out. */
function isStoppable(state: State, step: number): boolean {
  const phase = state.columns.phase[step]!;
  if (phase === CANCELLING) return state.phaseEvents[step]?.kind === "step.overdue";
  return !isTerminalPhase(phase);
}

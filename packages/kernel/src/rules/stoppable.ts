// What a deadline could still stop. Where an execution or a scope fails and only its clean-up is left, its deadline changes nothing
// any more, and nobody needs to be there when it is over.
//
//   S1. What is found is what `stopFailing` would stop: clean-up is spared with everything inside it, and undoing is not looked at.
//   S2. Once there is nothing to stop there never will be, until another round gives a new deadline.

import { isUndoing } from "../state/permission.ts";
import { CANCELLING, isTerminalPhase } from "../state/phase.ts";
import { compiledStep, findRegion } from "../state/step-position.ts";
import { localStep, type Region } from "../state/region.ts";
import type { State } from "../state/state.ts";

/** For the execution itself, in place of a step. */
export const ROOT_SCOPE = -1;

/** The open steps, and the execution, below which there is something to stop. Each region is looked at once. */
export function scopesWithStoppable(state: State): ReadonlySet<number> {
  const scopes = new Set<number>();
  for (const region of state.regions)
    if (region.unsettled > 0 && !isUndoing(state, region) && hasStoppable(state, region))
      addAround(state, region, scopes);
  return scopes;
}

/** Every scope around it, up to one that is clean-up for those further out. */
function addAround(state: State, region: Region, scopes: Set<number>): void {
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

/** A step that was told to stop is not told again, unless it was because its attempt took too long. */
function isStoppable(state: State, step: number): boolean {
  const phase = state.columns.phase[step]!;
  if (phase === CANCELLING) return state.last[step]?.kind === "step.overdue";
  return !isTerminalPhase(phase);
}

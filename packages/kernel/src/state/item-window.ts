// The window of a map with a limit: the items that are running. Items begin in order, and the next one begins when one has
// ended in any way.
//
//   W1. Neither the steps of an item nor their children run before the item is in the window.
//   W2. At most `limit` items have begun and not ended.
//   W3. The window is derived from the events and is not in the journal.

import { OPEN, WAITING } from "./phase.ts";
import { instanceIndex, type Region } from "./region.ts";
import { hasBegun } from "./step-position.ts";
import type { State } from "./state.ts";

/** Begins as many items as the limit allows. */
export function beginItems(state: State, region: Region): void {
  const { window } = region;
  if (window === undefined) return;
  while (window.active < window.limit && window.begun < window.left.length) {
    const item = window.begun++;
    if (window.left[item] === 0) continue;
    window.active++;
    beginItem(state, region, item);
  }
}

/** Updates the window after a step of the region has ended. */
export function countItem(state: State, region: Region, step: number): void {
  const { window } = region;
  if (window === undefined) return;
  const item = instanceIndex(region, step);
  if (--window.left[item]! > 0 || item >= window.begun) return;
  window.active--;
  beginItems(state, region);
}

/** Counts again for a new round: every item with a step that has not ended begins again, in order. */
export function resetWindow(state: State, region: Region): void {
  const { window } = region;
  if (window === undefined) return;
  window.begun = 0;
  window.active = 0;
  window.left.fill(0);
  for (let step = region.base; step < region.base + region.size; step++)
    if (state.columns.phase[step] === WAITING || state.columns.phase[step] === OPEN)
      window.left[instanceIndex(region, step)]!++;
}

function beginItem(state: State, region: Region, item: number): void {
  const first = region.base + item * region.stride;
  readyWithin(state, first, first + region.stride);
}

/** Puts the ready steps of an item on the agenda, and also its scopes that were held since a former round. */
export function readyWithin(state: State, from: number, to: number): void {
  for (let step = from; step < to; step++) {
    readyIf(state, step);
    const scope = state.heldScopes.size === 0 ? undefined : state.heldScopes.get(step);
    if (scope === undefined) continue;
    state.heldScopes.delete(step);
    readyWithin(state, scope.base, scope.base + scope.size);
  }
}

/** Puts a step on the agenda if it waits for nothing, its item is in the window, and the plan has reached it. */
export function readyIf(state: State, step: number): void {
  const { phase, unmet } = state.columns;
  if (phase[step] === WAITING && unmet[step] === 0 && hasBegun(state, step)) state.agenda.ready.add(step);
}

/** The same for every step of a range. */
export function readyAll(state: State, from: number, to: number): void {
  for (let step = from; step < to; step++) readyIf(state, step);
}

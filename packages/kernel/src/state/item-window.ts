// The window of a map with a limit: which of its items are under way. Items begin in their order, and the next one begins
// when one has ended, whatever it ended as.
//
//   W1. Nothing of an item runs before the window has come to it, neither its own steps nor what they opened into.
//   W2. No more items than the limit are begun and not ended.
//   W3. It follows from the events, like all of the state: the journal does not know it.

import { OPEN, WAITING } from "./phase.ts";
import { instanceIndex, type Region } from "./region.ts";
import { hasBegun } from "./step-position.ts";
import type { State } from "./state.ts";

/** Begins as many items as there is room for. */
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

/** A step of the region has ended. */
export function countItem(state: State, region: Region, step: number): void {
  const { window } = region;
  if (window === undefined) return;
  const item = instanceIndex(region, step);
  if (--window.left[item]! > 0 || item >= window.begun) return;
  window.active--;
  beginItems(state, region);
}

/** Counts anew for another round: every item that has something left begins again in its turn. */
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

/** Also what had opened in a former round and goes on only now. */
export function readyWithin(state: State, from: number, to: number): void {
  for (let step = from; step < to; step++) {
    readyIf(state, step);
    const scope = state.heldScopes.size === 0 ? undefined : state.heldScopes.get(step);
    if (scope === undefined) continue;
    state.heldScopes.delete(step);
    readyWithin(state, scope.base, scope.base + scope.size);
  }
}

/** Puts a step that waits for nothing on the agenda, unless its item, or the step itself, has to wait for its turn. */
export function readyIf(state: State, step: number): void {
  const { phase, unmet } = state.columns;
  if (phase[step] === WAITING && unmet[step] === 0 && hasBegun(state, step)) state.agenda.ready.add(step);
}

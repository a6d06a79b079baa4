// The last region that each step opened. A step that started over has earlier regions, which are history.

import type { Region } from "./region.ts";
import type { State } from "./state.ts";

interface LatestRegions {
  read: number;
  readonly byParent: Map<number, Region>;
}

/** Regions are only added, so each is read once. */
const KNOWN = new WeakMap<State, LatestRegions>();

/** By the step that opened the region; the workflow itself has the key -1. */
export function latestRegions(state: State): ReadonlyMap<number, Region> {
  let known = KNOWN.get(state);
  if (known === undefined) KNOWN.set(state, (known = { read: 0, byParent: new Map() }));
  for (; known.read < state.regions.length; known.read++) {
    const region = state.regions[known.read]!;
    if (region.kind !== "compensation") known.byParent.set(region.parent, region);
  }
  return known.byParent;
}

// The region that a step has: the last one that it opened. After a step starts over, it has none until it opens again.

import type { Region } from "./region.ts";
import type { State } from "./state.ts";

interface LatestRegions {
  read: number;
  readonly byParent: Map<number, Region>;
}

/** Regions are only added, so each is read once. */
const KNOWN = new WeakMap<State, LatestRegions>();

/** The step -1 stands for the workflow itself. */
export function latestRegion(state: State, step: number): Region | undefined {
  let known = KNOWN.get(state);
  if (known === undefined) KNOWN.set(state, (known = { read: 0, byParent: new Map() }));
  for (; known.read < state.regions.length; known.read++) {
    const region = state.regions[known.read]!;
    if (region.kind !== "compensation") known.byParent.set(region.parent, region);
  }
  const region = known.byParent.get(step);
  return region?.isHistory === true ? undefined : region;
}

/** A step that starts over keeps its regions as history only. */
export function startOver(state: State, step: number): void {
  const region = latestRegion(state, step);
  if (region !== undefined) region.isHistory = true;
}

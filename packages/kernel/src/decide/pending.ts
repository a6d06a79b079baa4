// What a step still waits for among its own siblings, for people who ask (SCHED-7).

import { neighbourCount, neighbours } from "../graph/graph.ts";
import type { StepIndex } from "../model/units.ts";
import { isTerminalPhase } from "./phase.ts";
import { localOf, placeBeside } from "./region.ts";
import { regionOf, type State } from "./state.ts";

/** The dependencies that have not ended. */
export function pendingDependencies(state: State, step: number): readonly StepIndex[] {
  const region = regionOf(state, step);
  const { dependencies } = region.program.graph;
  return [...neighbours(dependencies, localOf(region, step))]
    .map((local) => placeBeside(region, step, local) as StepIndex)
    .filter((place) => !isTerminalPhase(state.columns.phase[place]!));
}

/** How many steps depend on a step. */
export function dependantCount(state: State, step: number): number {
  const region = regionOf(state, step);
  return neighbourCount(region.program.graph.dependants, localOf(region, step));
}

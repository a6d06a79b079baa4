// The dependencies of a step within its program, and those that it still waits for, for display (EVENT-1, SCHED-7).

import { EDGE_FALLBACK, neighbourCount, neighbours } from "../graph/graph.ts";
import type { StepIndex } from "../model/units.ts";
import { isTerminalPhase } from "../state/phase.ts";
import { instanceIndex, localStep, siblingIndex } from "../state/region.ts";
import { findRegion } from "../state/step-position.ts";
import type { State } from "../state/state.ts";

/** The declared dependencies, without the primary of a fallback. */
export function listDependencies(state: State, step: number): readonly StepIndex[] {
  const region = findRegion(state, step);
  const { offsets, targets, kinds } = region.program.graph.dependencies;
  const local = localStep(region, step);
  const steps: StepIndex[] = [];
  for (let edge = offsets[local]!; edge < offsets[local + 1]!; edge++)
    if (kinds[edge] !== EDGE_FALLBACK) steps.push(siblingIndex(region, step, targets[edge]!) as StepIndex);
  return steps;
}

/** The dependencies that have not ended. */
export function pendingDependencies(state: State, step: number): readonly StepIndex[] {
  const region = findRegion(state, step);
  const { dependencies } = region.program.graph;
  return [...neighbours(dependencies, localStep(region, step))]
    .map((local) => siblingIndex(region, step, local) as StepIndex)
    .filter((current) => !isTerminalPhase(state.columns.phase[current]!));
}

/** The number of steps that depend on a step. */
export function dependantCount(state: State, step: number): number {
  const region = findRegion(state, step);
  return neighbourCount(region.program.graph.dependants, localStep(region, step));
}

/** The item limit of the map, if a step waits only for its item to begin. */
export function itemLimit(state: State, step: number): number | undefined {
  for (let current = step; current >= 0; current = findRegion(state, current).parent) {
    const region = findRegion(state, current);
    if (region.window !== undefined && instanceIndex(region, current) >= region.window.begun)
      return region.window.limit;
  }
  return undefined;
}

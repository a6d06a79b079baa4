// Places: where a step of an execution stands. Its region, its program, the workflow around it, and what those say of it.
//
// Steps are numbered through all regions of an execution; a place is such a number.

import { invariant } from "../errors/invariant-violation.ts";
import type { Definition, StepDefinition } from "../model/definition.ts";
import type { DurationMs } from "../model/units.ts";
import type { CompiledStep, Program } from "../program/program.ts";
import { instanceIndex, localStep, type Region } from "./region.ts";
import type { State } from "./state.ts";

/** Regions lie one behind the other, so the one that holds a step is found by halving. */
export function findRegion(state: State, step: number): Region {
  const { regions } = state;
  if (regions.length === 1) return regions[0]!;
  let low = 0;
  let high = regions.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (regions[middle]!.base <= step) low = middle;
    else high = middle - 1;
  }
  return regions[low]!;
}

/**
 * Whether a step that has not ended is a scope and not an attempt, also when all its children have ended and it has not settled
 * yet. What was a scope in an earlier round may be an attempt in this one, under a higher epoch.
 */
export function isScope(state: State, step: number): boolean {
  return state.regions.some(({ parent, epoch }) => parent === step && epoch === state.columns.epoch[step]);
}

/** Whether `item` and `index` are there: also for steps that an attempt inside a map asked for. */
export function isInMap(state: State, step: number): boolean {
  const region = findRegion(state, step);
  return region.kind === "items" || (region.kind === "steps" && isInMap(state, region.parent));
}

/** In whose place a step stands: an undoing in that of the step that it undoes, any other in its own (FAIL-8). */
export function compensatedStep(state: State, step: number): number {
  const region = findRegion(state, step);
  return region.kind === "compensation" ? region.undoes[localStep(region, step)]! : step;
}

/** The workflow or sub-workflow that a step belongs to, through maps and steps made at run time. */
export function enclosingWorkflowRegion(state: State, step: number): Region {
  for (let place = compensatedStep(state, step); ;) {
    const region = findRegion(state, place);
    if (region.kind === "root" || region.kind === "workflow") return region;
    place = compensatedStep(state, region.parent);
  }
}

export function enclosingWorkflow(state: State, step: number): Definition {
  return enclosingWorkflowRegion(state, step).program.definition;
}

/** What a step opened into last. */
export function lastChildRegion(state: State, step: number): Region {
  const region = state.regions.findLast(({ parent }) => parent === step);
  invariant(region !== undefined, "STATE-9", `step ${step} has no children`);
  return region;
}

export function compiledStep(state: State, step: number): CompiledStep {
  // Most executions never open a scope, and this is asked several times a step.
  if (state.regions.length === 1) return state.program.steps[step]!;
  const region = findRegion(state, step);
  return region.program.steps[localStep(region, step)]!;
}

/** Whether a step is a call and nothing else. Most are; then there is no need to look at the step itself. */
export function isOrdinary(state: State, step: number): boolean {
  const region = findRegion(state, step);
  return region.program.columns.ordinary[localStep(region, step)] === 1;
}

/** How long an attempt of a step may take, where the step itself says so. */
export function ownTimeout(state: State, step: number): DurationMs | undefined {
  const region = findRegion(state, step);
  return region.program.columns.timeouts[localStep(region, step)];
}

/** The agent that a step calls, where it calls one. */
export function agentName(state: State, step: number): string | undefined {
  const region = findRegion(state, step);
  return region.program.columns.agents[localStep(region, step)];
}

/** The program that a step belongs to: that of the execution, or of the scope that it is in. */
export function enclosingProgram(state: State, step: number): Program {
  return findRegion(state, step).program;
}

/** Which step of that program it is. */
export function localIndex(state: State, step: number): number {
  return localStep(findRegion(state, step), step);
}

/** Whether the maps around a step have come to its item, and sequential workflows to it. */
export function hasBegun(state: State, step: number): boolean {
  if (state.windows === 0) return true;
  let region = findRegion(state, step);
  for (let place = step; ; region = findRegion(state, place)) {
    if (region.window !== undefined && instanceIndex(region, place) >= region.window.begun) return false;
    if (region.line !== undefined && region.line.sequence[localStep(region, place)]! > region.line.next) return false;
    if (region.parent < 0) return true;
    place = region.parent;
  }
}

/** The maps that a step is part of an item of, the innermost first; not those around a workflow that is called. */
export function mapsAround(state: State, step: number): readonly StepDefinition[] {
  const maps: StepDefinition[] = [];
  for (let region = findRegion(state, step); region.kind === "items"; region = findRegion(state, region.parent))
    maps.push(compiledStep(state, region.parent).definition);
  return maps;
}

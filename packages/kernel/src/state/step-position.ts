// The position of a step in its execution: its region, its program, and the workflow that encloses it.
//
// Steps are numbered through all regions of an execution. This number is the step index.

import { invariant } from "../errors/invariant-violation.ts";
import type { Definition, StepDefinition } from "../model/definition.ts";
import type { DurationMs } from "../model/units.ts";
import type { CompiledStep, Program } from "../program/program.ts";
import { instanceIndex, localStep, type Region } from "./region.ts";
import type { State } from "./state.ts";

/** Finds the region of a step by binary search: regions are in the order of their step indexes. */
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
 * Whether a step that has not ended is a scope and not an attempt. A step whose children have all ended is a scope until it
 * settles. A scope of an earlier round may be an attempt in this one, under a higher epoch.
 */
export function isScope(state: State, step: number): boolean {
  return state.regions.some(({ parent, epoch }) => parent === step && epoch === state.columns.epoch[step]);
}

/**
 * Whether a step is inside a map, which has `item` and `index`, and inside a repetition, which has `last` and `index`. Steps that
 * an attempt expanded into are where that attempt was.
 */
export function surroundings(state: State, step: number): { readonly inMap: boolean; readonly inRepeat: boolean } {
  let inMap = false;
  let inRepeat = false;
  let region = findRegion(state, step);
  for (; region.kind === "items" || region.kind === "iteration" || region.kind === "steps";) {
    inMap ||= region.kind === "items";
    inRepeat ||= region.kind === "iteration";
    region = findRegion(state, region.parent);
  }
  return { inMap, inRepeat };
}

/** The step that a compensation undoes; for any other step, the step itself (FAIL-8). */
export function compensatedStep(state: State, step: number): number {
  const region = findRegion(state, step);
  return region.kind === "compensation" ? region.undoes[localStep(region, step)]! : step;
}

/** The region of the workflow or sub-workflow that a step belongs to, through maps and steps made at run time. */
export function enclosingWorkflowRegion(state: State, step: number): Region {
  for (let current = compensatedStep(state, step); ;) {
    const region = findRegion(state, current);
    if (region.kind === "root" || region.kind === "workflow") return region;
    current = compensatedStep(state, region.parent);
  }
}

export function enclosingWorkflow(state: State, step: number): Definition {
  return enclosingWorkflowRegion(state, step).program.definition;
}

/** Whether the failure of a step stops the steps beside it (STATE-7). */
export function stopsOthers(state: State, step: number): boolean {
  if (compiledStep(state, step).definition.onError === "finish") return false;
  return enclosingWorkflow(state, step).onFailure !== "finish";
}

/** The last region that a step opened. */
export function lastChildRegion(state: State, step: number): Region {
  const region = state.regions.findLast(({ parent }) => parent === step);
  invariant(region !== undefined, "STATE-9", `step ${step} has no children`);
  return region;
}

/** The iteration before another one of the same repetition; undefined for the first. */
export function iterationBefore(state: State, { parent, base, iteration }: Region): Region | undefined {
  if (iteration <= 0) return undefined;
  return state.regions.findLast((each) => each.parent === parent && each.base < base);
}

/** The base of the first region that each step opened the last time; only a repetition opens several (STATE-13). */
export function latestOpenings(regions: readonly Region[]): ReadonlyMap<number, number> {
  const openings = new Map<number, number>();
  for (const { parent, iteration, base } of regions) if (iteration <= 0) openings.set(parent, base);
  return openings;
}

export function compiledStep(state: State, step: number): CompiledStep {
  // Fast path: most executions never open a scope, and each step calls this several times.
  if (state.regions.length === 1) return state.program.steps[step]!;
  const region = findRegion(state, step);
  return region.program.steps[localStep(region, step)]!;
}

/** Whether a step is a plain call. Most steps are, and then their compiled step need not be read. */
export function isOrdinary(state: State, step: number): boolean {
  const region = findRegion(state, step);
  return region.program.columns.ordinary[localStep(region, step)] === 1;
}

/** The timeout of an attempt, if the step itself has one. */
export function ownTimeout(state: State, step: number): DurationMs | undefined {
  const region = findRegion(state, step);
  return region.program.columns.timeouts[localStep(region, step)];
}

/** The agent that a step calls, if it calls one. */
export function agentName(state: State, step: number): string | undefined {
  const region = findRegion(state, step);
  return region.program.columns.agents[localStep(region, step)];
}

/** The program that a step belongs to: the program of the execution, or of the enclosing scope. */
export function enclosingProgram(state: State, step: number): Program {
  return findRegion(state, step).program;
}

/** The index of a step within that program. */
export function localIndex(state: State, step: number): number {
  return localStep(findRegion(state, step), step);
}

/** Whether the maps around a step have begun its item, and the sequential workflows around it have reached it. */
export function hasBegun(state: State, step: number): boolean {
  if (state.windows === 0) return true;
  let region = findRegion(state, step);
  for (let current = step; ; region = findRegion(state, current)) {
    if (region.window !== undefined && instanceIndex(region, current) >= region.window.begun) return false;
    if (region.plan !== undefined && region.plan.sequence[localStep(region, current)]! > region.plan.next) return false;
    if (region.parent < 0) return true;
    current = region.parent;
  }
}

/** The maps and repetitions that enclose a step, the innermost first, up to the workflow that encloses it. */
export function enclosingMaps(state: State, step: number): readonly StepDefinition[] {
  const maps: StepDefinition[] = [];
  let region = findRegion(state, step);
  for (; region.kind === "items" || region.kind === "iteration"; region = findRegion(state, region.parent))
    maps.push(compiledStep(state, region.parent).definition);
  return maps;
}

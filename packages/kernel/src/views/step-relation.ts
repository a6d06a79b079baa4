// Relations between steps, for display: which step contains or undoes which, and which steps are only history.
//
//   R1. A name means one step. If a scope opened more than once, or a step was compensated more than once, the last one counts.
//       Steps that an earlier round undid, or the children of a scope that starts over, are history.

import type { StepIndex } from "../model/units.ts";
import { undoneSteps } from "../state/compensation.ts";
import { latestRegion } from "../state/latest-region.ts";
import { CANCELLED, CANCELLING, FAILED, OPEN, SUCCEEDED } from "../state/phase.ts";
import { localStep, type Region } from "../state/region.ts";
import { compiledStep, findRegion, latestOpenings } from "../state/step-position.ts";
import type { State } from "../state/state.ts";

/** The relations of a step to other steps and to workflows. */
export interface StepRelation {
  /** The step that opened into this one. */
  readonly parent?: StepIndex;
  /** The step that this one undoes. */
  readonly undoes?: StepIndex;
  /** The called workflow, if the step calls one: `name`, or `name@version`. */
  readonly workflow?: string;
  /** The step succeeded, and was undone in this round (FAIL-8). */
  readonly undone?: true;
  /** The number of attempts that the retry policy allows; absent if the step runs no attempt. */
  readonly attemptsMax?: number;
}

/** The steps that are not history. */
interface PresentSteps {
  readonly state: State;
  /** The last region that each step opened. */
  readonly latest: ReadonlyMap<number, Region>;
  /** The base of the first region that each step opened the last time: a repetition has one region for each iteration. */
  readonly openings: ReadonlyMap<number, number>;
  /** The last compensation of each step that this round undoes. */
  readonly compensations: ReadonlyMap<number, number>;
  readonly regions: Set<Region>;
}

/** The relations of each step; undefined for a step that is only history. */
export function stepRelations(state: State): (step: number) => StepRelation | undefined {
  const present = presentSteps(state);
  const undone = undoneSteps(state);
  return (step) => {
    const region = findRegion(state, step);
    if (!isPresent(present, region, step)) return undefined;
    const { work } = region.program.steps[localStep(region, step)]!;
    const max = attemptsMax(state, step);
    return {
      ...(region.parent < 0 ? {} : { parent: region.parent as StepIndex }),
      ...(region.kind === "compensation" ? { undoes: undoneStep(region, step) } : {}),
      ...(work.kind === "workflow" ? { workflow: calledName(present.latest.get(step)) ?? work.workflow } : {}),
      ...(undone.has(step) ? { undone: true } : {}),
      ...(max === undefined ? {} : { attemptsMax: max }),
    };
  };
}

/** The number of attempts that the retry policy of a step allows; undefined if the step runs no attempt. */
export function attemptsMax(state: State, step: number): number | undefined {
  const { work, retry } = compiledStep(state, step);
  return work.kind === "call" ? retry.attempts : undefined;
}

/** The steps that are only history. Regions without any are not read step by step. */
export function* pastSteps(state: State): Generator<number> {
  if (state.regions.length === 1) return;
  const present = presentSteps(state);
  for (const region of state.regions) {
    if (region.kind !== "compensation" && present.regions.has(region)) continue;
    for (let step = region.base; step < region.base + region.size; step++)
      if (!isPresent(present, region, step)) yield step;
  }
}

/** A region comes after the region of its parent, so the parent's region is already known here. */
function presentSteps(state: State): PresentSteps {
  const latest = new Map(state.regions.map((region) => [region.parent, region]));
  const compensations = new Map([...state.undoes].map(([undoing, step]) => [step, undoing]));
  const openings = latestOpenings(state.regions);
  const present: PresentSteps = { state, latest, openings, compensations, regions: new Set() };
  for (const region of state.regions) if (isPresentRegion(present, region)) present.regions.add(region);
  return present;
}

/** The region that an opened step has now; a step that starts over has none until it opens again. */
const HAS_OPENED: ReadonlySet<number> = new Set([OPEN, CANCELLING, SUCCEEDED, FAILED, CANCELLED]);

export function hasOpened(state: State, step: number): boolean {
  return HAS_OPENED.has(state.columns.phase[step]!) && latestRegion(state, step) !== undefined;
}

function isPresentRegion(present: PresentSteps, region: Region): boolean {
  const { state, openings } = present;
  const { parent, base } = region;
  if (parent < 0 || region.kind === "compensation") return true;
  if (base < openings.get(parent)! || !hasOpened(state, parent)) return false;
  return isPresent(present, findRegion(state, parent), parent);
}

function isPresent({ state, regions, compensations }: PresentSteps, region: Region, step: number): boolean {
  if (!regions.has(region)) return false;
  if (region.kind !== "compensation") return true;
  const undoes = undoneStep(region, step);
  return compensations.get(undoes) === step && regions.has(findRegion(state, undoes));
}

function undoneStep(region: Region, undoing: number): StepIndex {
  return region.undoes[localStep(region, undoing)] as StepIndex;
}

function calledName(region: Region | undefined): string | undefined {
  if (region?.kind !== "workflow") return undefined;
  const { name, version } = region.program.definition;
  return version === undefined ? name : `${name}@${version}`;
}

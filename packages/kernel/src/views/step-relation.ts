// How steps stand to each other, for people who look at an execution: what is inside of what, what undoes what, and what is
// only history.
//
//   R1. A name means one step. Of scopes that opened more than once, and of undoings that were made more than once, the last
//       one counts; what an earlier round undid, or had opened into and starts over, is history.

import type { StepIndex } from "../model/units.ts";
import { undoneSteps } from "../state/compensation.ts";
import { CANCELLED, CANCELLING, FAILED, OPEN, SUCCEEDED } from "../state/phase.ts";
import { localStep, type Region } from "../state/region.ts";
import { findRegion } from "../state/step-position.ts";
import type { State } from "../state/state.ts";

export interface StepRelation {
  /** The step that opened into this one. */
  readonly parent?: StepIndex;
  /** The step that this one undoes. */
  readonly undoes?: StepIndex;
  /** What it calls, if that is a workflow: `name`, or `name@version`. */
  readonly workflow?: string;
  /** It succeeded, and was undone in this round (FAIL-8). */
  readonly undone?: true;
  /** So many attempts it has in all; absent where it needs none. */
  readonly attemptsMax?: number;
}

/** What is not history. */
interface Present {
  readonly state: State;
  /** What each step opened into last. */
  readonly latest: ReadonlyMap<number, Region>;
  /** The last undoing of each step that this round undoes. */
  readonly undoings: ReadonlyMap<number, number>;
  readonly regions: Set<Region>;
}

/** Of each step; nothing of a step that is only history. */
export function stepRelations(state: State): (step: number) => StepRelation | undefined {
  const present = presentSteps(state);
  const undone = undoneSteps(state);
  return (step) => {
    const region = findRegion(state, step);
    if (!isPresent(present, region, step)) return undefined;
    const { work, retry } = region.program.steps[localStep(region, step)]!;
    return {
      ...(region.parent < 0 ? {} : { parent: region.parent as StepIndex }),
      ...(region.kind === "compensation" ? { undoes: undoneBy(region, step) } : {}),
      ...(work.kind === "workflow" ? { workflow: calledName(present.latest.get(step)) ?? work.workflow } : {}),
      ...(undone.has(step) ? { undone: true } : {}),
      ...(work.kind === "call" ? { attemptsMax: retry.attempts } : {}),
    };
  };
}

/** A region lies behind the one that its parent is in, so that one has been judged before. */
function presentSteps(state: State): Present {
  const latest = new Map(state.regions.map((region) => [region.parent, region]));
  const undoings = new Map([...state.undoes].map(([undoing, step]) => [step, undoing]));
  const present: Present = { state, latest, undoings, regions: new Set() };
  for (const region of state.regions) if (isPresentRegion(present, region)) present.regions.add(region);
  return present;
}

/** Where a step is that has opened; one that starts over is somewhere else until it opens again. */
const HAS_OPENED: ReadonlySet<number> = new Set([OPEN, CANCELLING, SUCCEEDED, FAILED, CANCELLED]);

function isPresentRegion(present: Present, region: Region): boolean {
  const { state, latest } = present;
  const { parent } = region;
  if (parent < 0 || region.kind === "compensation") return true;
  if (latest.get(parent) !== region || !HAS_OPENED.has(state.columns.phase[parent]!)) return false;
  return isPresent(present, findRegion(state, parent), parent);
}

function isPresent({ state, regions, undoings }: Present, region: Region, step: number): boolean {
  if (!regions.has(region)) return false;
  if (region.kind !== "compensation") return true;
  const undoes = undoneBy(region, step);
  return undoings.get(undoes) === step && regions.has(findRegion(state, undoes));
}

function undoneBy(region: Region, undoing: number): StepIndex {
  return region.undoes[localStep(region, undoing)] as StepIndex;
}

function calledName(region: Region | undefined): string | undefined {
  if (region?.kind !== "workflow") return undefined;
  const { name, version } = region.program.definition;
  return version === undefined ? name : `${name}@${version}`;
}

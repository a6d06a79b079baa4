// A new round for the failures that a completed execution tolerated (decision 58).
//
//   RT1. The failed items of a map, and the steps with `onError: continue` that failed, run again. Items and steps that
//        succeeded stay as they are.
//   RT2. A scope with a step that runs again opens again, and so do the scopes around it.
//   RT3. A step that depends on one of these, directly or not, starts over, because its input has changed. If it is a
//        scope, its earlier region is history, and nothing inside it matters any more.
//   RT4. Counts are computed again from the phases (O3).

import type { Event } from "../journal/event.ts";
import { latestRegion, startOver } from "./latest-region.ts";
import { move } from "./move.ts";
import { OPEN, WAITING } from "./phase.ts";
import { instanceIndex, siblingIndex, localStep, type Region } from "./region.ts";
import {
  continuesInRound,
  forgetCompensation,
  isRetriable,
  iterationsInRound,
  NOTHING_UNDONE,
  recountUnmet,
} from "./reopen.ts";
import { findRegion } from "./step-position.ts";
import type { State } from "./state.ts";
import { resetStart } from "./step-times.ts";
import { toleratedSteps, toleratingMaps } from "./tolerated.ts";

/** The steps that the round changes. */
interface Changes {
  /** Failed steps that run again. */
  readonly retried: Set<number>;
  /** Scopes that open again with their children as they are. */
  readonly opened: Set<number>;
  /** Dependants that start over. */
  readonly restarted: Set<number>;
}

export function reopenTolerated(state: State, event: Event): void {
  const changes: Changes = { retried: new Set(), opened: new Set(), restarted: new Set() };
  for (const region of toleratingMaps(state)) retryItems(state, region, changes);
  for (const step of toleratedSteps(state)) retryStep(state, findRegion(state, step), step, changes);
  for (const step of [...changes.retried, ...changes.opened]) spread(state, step, changes);
  const regions = new Set<Region>();
  for (const step of sorted(changes)) {
    if (isInsideRestarted(state, step, changes)) continue;
    apply(state, step, event, changes);
    regions.add(findRegion(state, step));
  }
  for (const step of changes.opened) if (state.columns.phase[step] === OPEN) regions.add(latestRegion(state, step)!);
  recount(state, regions);
  forgetCompensation(state, NOTHING_UNDONE.steps);
  state.agenda.armScopes = changes.opened.size > 0;
}

function retryItems(state: State, region: Region, changes: Changes): void {
  for (let step = region.base; step < region.base + region.size; step++)
    if (region.failedInstances.has(instanceIndex(region, step)) && isRetriable(state, region, step, NOTHING_UNDONE))
      retryStep(state, region, step, changes);
}

/** A failed scope continues with the children that did not succeed, as in every new round (O2). */
function retryStep(state: State, region: Region, step: number, changes: Changes): void {
  const inner = latestRegion(state, step);
  if (inner === undefined || !continuesInRound(state, region, step)) {
    changes.retried.add(step);
    return;
  }
  changes.opened.add(step);
  for (let child = inner.base; child < inner.base + inner.size; child++)
    if (isRetriable(state, inner, child, NOTHING_UNDONE)) retryStep(state, inner, child, changes);
}

/** RT2, RT3: from a step that changes to its dependants, and to the scopes around it. */
function spread(state: State, changed: number, changes: Changes): void {
  const queue = [changed];
  for (let step = queue.pop(); step !== undefined; step = queue.pop()) {
    const region = findRegion(state, step);
    for (const dependant of dependants(region, step)) {
      if (changes.restarted.has(dependant)) continue;
      changes.restarted.add(dependant);
      queue.push(dependant);
    }
    const { parent } = region;
    if (parent < 0 || changes.opened.has(parent) || changes.restarted.has(parent)) continue;
    changes.opened.add(parent);
    queue.push(parent);
  }
}

/** With the fallback of the step and of each dependant, which stand in for them. */
function* dependants(region: Region, step: number): Generator<number> {
  const local = localStep(region, step);
  const { offsets, targets } = region.program.graph.dependants;
  for (let edge = offsets[local]!; edge < offsets[local + 1]!; edge++) yield siblingIndex(region, step, targets[edge]!);
  const { fallback } = region.program.steps[local]!;
  if (fallback >= 0) yield siblingIndex(region, step, fallback);
}

function sorted({ retried, opened, restarted }: Changes): readonly number[] {
  return [...new Set([...retried, ...opened, ...restarted])].toSorted((one, other) => one - other);
}

function isInsideRestarted(state: State, step: number, { restarted }: Changes): boolean {
  for (let { parent } = findRegion(state, step); parent >= 0; { parent } = findRegion(state, parent))
    if (restarted.has(parent)) return true;
  return false;
}

function apply(state: State, step: number, event: Event, { opened, restarted }: Changes): void {
  const isDisabled = isDisabledStep(state, step);
  if (isDisabled) return;
  const isOpened = opened.has(step) && !restarted.has(step);
  move(state, step, isOpened ? OPEN : WAITING, event);
  resetStart(state, step, isOpened ? event.at : undefined);
  if (!isOpened) {
    state.columns.attempts[step] = 0;
    startOver(state, step);
  }
  state.losses.delete(step);
  // A step with another input makes its calls again (STATE-14).
  if (restarted.has(step)) state.recordedCalls.delete(step);
}

function isDisabledStep(state: State, step: number): boolean {
  const region = findRegion(state, step);
  return region.program.graph.disabled[localStep(region, step)] === 1;
}

/** A region comes after the region of its parent. */
function recount(state: State, regions: ReadonlySet<Region>): void {
  state.heldScopes.clear();
  state.regions.forEach((region, index) => {
    if (!regions.has(region)) return;
    region.failure = undefined;
    if (region.kind === "items") forgetFailedItems(state, region);
    if (region.parent >= 0 && state.windows > 0) state.heldScopes.set(region.parent, region);
    recountUnmet(state, region, index);
    region.iterationsLeft = iterationsInRound(state, region);
  });
}

/** All failed items of the map run again. */
function forgetFailedItems(state: State, region: Region): void {
  const isAgain = (item: number): boolean => {
    const first = region.base + item * region.stride;
    return state.columns.phase
      .subarray(first, first + region.stride)
      .some((phase) => phase === WAITING || phase === OPEN);
  };
  const left = [...region.failedInstances].filter((item) => !isAgain(item));
  region.failedInstances.clear();
  for (const item of left) region.failedInstances.add(item);
  if (left.length === 0) region.stoppingStep = -1;
}

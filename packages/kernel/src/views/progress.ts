// The progress of an execution: the totals of a list, and whether anything is running.
//
//   P1. Steps are those that people wrote and that are outside of maps and repetitions. Internal steps, compensations and steps
//       that are only history do not count. The items of a map count as items.
//   P2. The numbers cost as much as there are scopes outside of maps and repetitions, so 100,000 items cost no more than one.

import type { StepIndex } from "../model/units.ts";
import { CANCELLING, isTerminalPhase, RUNNING } from "../state/phase.ts";
import { latestRegion } from "../state/latest-region.ts";
import type { Region } from "../state/region.ts";
import { findRegion } from "../state/step-position.ts";
import { stepCount, type State } from "../state/state.ts";
import { stepEpoch, stepStatus } from "../state/step-status.ts";
import { internalSteps } from "./internal-step.ts";
import { hasOpened } from "./step-relation.ts";

export interface Progress {
  readonly total: number;
  readonly ended: number;
  /** The items of maps. A map inside an item is a part of that item. */
  readonly items: number;
  readonly itemsEnded: number;
  readonly itemsFailed: number;
}

export function toProgress(state: State): Progress {
  let [total, ended, items, itemsEnded, itemsFailed] = [0, 0, 0, 0, 0];
  for (const region of outerRegions(state)) {
    if (!isPresent(state, region)) continue;
    if (region.kind === "items") {
      items += region.size / region.stride;
      itemsEnded += Math.floor((region.size - region.unsettled) / region.stride);
      itemsFailed += region.failedInstances.size;
      continue;
    }
    total += region.size;
    ended += region.size - region.unsettled;
    for (const local of internalSteps(region.program)) {
      total--;
      if (isTerminalPhase(state.columns.phase[region.base + local]!)) ended--;
    }
  }
  return { total, ended, items, itemsEnded, itemsFailed };
}

/** Regions are only added, so each is looked at once. */
interface OuterRegions {
  read: number;
  readonly all: Set<Region>;
}

const OUTER = new WeakMap<State, OuterRegions>();

/** The regions that are not inside an item of a map, a repetition or a compensation. */
function outerRegions(state: State): ReadonlySet<Region> {
  let known = OUTER.get(state);
  if (known === undefined) OUTER.set(state, (known = { read: 0, all: new Set() }));
  for (; known.read < state.regions.length; known.read++) {
    const region = state.regions[known.read]!;
    const around = region.parent < 0 ? undefined : findRegion(state, region.parent);
    const isInside = region.kind === "iteration" || around?.kind === "items";
    const isOuter = around === undefined ? region.kind === "root" : !isInside && known.all.has(around);
    if (isOuter) known.all.add(region);
  }
  return known.all;
}

/** A scope that starts over in a new round has no steps until it opens again. */
function isPresent(state: State, region: Region): boolean {
  for (let current = region; current.parent >= 0; current = findRegion(state, current.parent))
    if (latestRegion(state, current.parent) !== current || !hasOpened(state, current.parent)) return false;
  return true;
}

/** The number of running attempts and queued steps. */
export function activeCount({ counts, queuedCount }: State): number {
  return counts[RUNNING]! + counts[CANCELLING]! + queuedCount;
}

/** Whether a step waits only for a slot. The journal does not record that a slot was requested. */
export function hasReadyStep(state: State): boolean {
  for (let step = 0; step < stepCount(state); step++) if (stepStatus(state, step) === "ready") return true;
  return false;
}

/** Attempts that are running according to the journal, as step indexes and epochs. After a crash each of them is lost. */
export function attemptsUnderWay(state: State): readonly { readonly step: number; readonly epoch: number }[] {
  const running: { step: number; epoch: number }[] = [];
  const underWay = state.counts[RUNNING]! + state.counts[CANCELLING]!;
  if (underWay === 0) return running;
  const { epoch, phase } = state.columns;
  // The same as `isScope`, for all steps at once.
  const open = state.regions.filter((region) => region.epoch === epoch[region.parent]);
  const scopes = new Set(open.map(({ parent }) => parent));
  for (let step = 0; step < stepCount(state); step++) {
    const isAttempt = phase[step] === RUNNING || (phase[step] === CANCELLING && !scopes.has(step));
    if (isAttempt) running.push({ step, epoch: epoch[step]! });
  }
  return running;
}

/** Whether an attempt of a step is running and was not told to stop: the attempt of this epoch, or any if none is given. */
export function isRunning(state: State, step: StepIndex, epoch: number = stepEpoch(state, step)): boolean {
  return state.columns.phase[step] === RUNNING && state.columns.epoch[step] === epoch;
}

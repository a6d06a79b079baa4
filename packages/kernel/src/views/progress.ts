// The progress of an execution from its counts: the totals of a list, and whether anything is running.

import type { StepIndex } from "../model/units.ts";
import { CANCELLED, CANCELLING, FAILED, RUNNING, SKIPPED, SUCCEEDED } from "../state/phase.ts";
import { stepCount, type State } from "../state/state.ts";
import { stepEpoch, stepStatus } from "../state/step-status.ts";

export interface Progress {
  readonly total: number;
  readonly ended: number;
  /** Running attempts and queued steps. */
  readonly active: number;
}

export function toProgress(state: State): Progress {
  const { counts } = state;
  return {
    total: stepCount(state),
    ended: counts[SUCCEEDED]! + counts[FAILED]! + counts[SKIPPED]! + counts[CANCELLED]!,
    active: counts[RUNNING]! + counts[CANCELLING]! + state.queuedCount,
  };
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

// How far an execution is, from its counts: what a list shows, and whether anything is going on.

import type { StepIndex } from "../model/units.ts";
import { CANCELLED, CANCELLING, FAILED, RUNNING, SKIPPED, SUCCEEDED } from "./phase.ts";
import { statusOf, stepCount, type State } from "./state.ts";

export interface Progress {
  readonly total: number;
  readonly ended: number;
  /** Attempts under way, and steps that admission was asked for. */
  readonly active: number;
}

export function progressOf(state: State): Progress {
  const { counts } = state;
  return {
    total: stepCount(state),
    ended: counts[SUCCEEDED]! + counts[FAILED]! + counts[SKIPPED]! + counts[CANCELLED]!,
    active: counts[RUNNING]! + counts[CANCELLING]! + state.askedCount,
  };
}

/** Whether a step waits for nothing but a slot. The journal does not say that a slot was asked for. */
export function hasReadyStep(state: State): boolean {
  for (let step = 0; step < stepCount(state); step++) if (statusOf(state, step) === "ready") return true;
  return false;
}

/** Attempts that the journal knows as under way: places and epochs. After a crash each of them is lost. */
export function attemptsUnderWay(state: State): readonly { readonly step: number; readonly epoch: number }[] {
  const found: { step: number; epoch: number }[] = [];
  const underWay = state.counts[RUNNING]! + state.counts[CANCELLING]!;
  if (underWay === 0) return found;
  // Only scopes whose children go on: a scope of an earlier round may be an attempt in this one.
  const scopes = new Set(state.regions.filter(({ unsettled }) => unsettled > 0).map(({ parent }) => parent));
  for (let step = 0; step < stepCount(state); step++) {
    const phase = state.columns.phase[step];
    const isAttempt = phase === RUNNING || (phase === CANCELLING && !scopes.has(step));
    if (isAttempt) found.push({ step, epoch: state.columns.epoch[step]! });
  }
  return found;
}

/** Whether this attempt of a step is the current one and was not told to stop. */
export function isRunning(state: State, step: StepIndex, epoch: number): boolean {
  return state.columns.phase[step] === RUNNING && state.columns.epoch[step] === epoch;
}

// The status of a step as people see it: its phase, with `ready` and `queued`, which the journal does not record.

import { PHASES, WAITING, type StepStatus } from "./phase.ts";
import type { State } from "./state.ts";
import { hasBegun } from "./step-position.ts";

/** `queued` means in this process: admission was requested here. */
export function stepStatus(state: State, step: number): StepStatus {
  if (state.columns.queued[step] === 1) return "queued";
  return isReady(state, step) ? "ready" : PHASES[state.columns.phase[step]!]!;
}

/** Whether a step can start: all its dependencies are met, and its item or its turn in the plan has come. */
export function isReady(state: State, step: number): boolean {
  const { phase, unmet } = state.columns;
  return phase[step] === WAITING && unmet[step] === 0 && state.startedAt !== undefined && hasBegun(state, step);
}

/** How many attempts of a step count in this round; a lost attempt does not count. */
export function attemptCount(state: State, step: number): number {
  return state.columns.attempts[step]!;
}

/** The epoch of the newest attempt of a step, or 0 if it has had none. */
export function stepEpoch(state: State, step: number): number {
  return state.columns.epoch[step]!;
}

// Parks an execution because this process lacks the agent of one of its steps (FAIL-9).

import { compiledStep, isRunning, stepStatus, type EpochMs, type Happening, type StepIndex } from "@segno/kernel";
import { unregisteredReason } from "../attempts/missing-prerequisite.ts";
import type { LiveExecution } from "./live-execution.ts";
import type { StepDispatcher } from "./turn-loop-ports.ts";

export function toParkHappening({ state }: LiveExecution, step: StepIndex, at: EpochMs): Happening {
  const { action } = compiledStep(state, step).definition;
  const reason = unregisteredReason(action.kind === "agent" ? action.agent : action.kind);
  return { kind: "park", at, step, cause: "no-agent", reason };
}

/**
 * Whether the execution still has to be parked because of the step. Meanwhile the step may have been paused or
 * cancelled, or the missing agent may have been registered. If a running attempt found that the agent is missing and
 * the execution is already paused or parked, nothing is recorded: the first reason stays, and one resume is enough.
 */
export function parkStillApplies(
  execution: LiveExecution,
  step: StepIndex | undefined,
  dispatcher: Pick<StepDispatcher, "canRun">,
): boolean {
  if (step === undefined) return true;
  const { state } = execution;
  if (isRunning(state, step)) return state.hold === undefined;
  return isQueued(execution, step) && !dispatcher.canRun(execution, step);
}

/** Whether the step waits to be admitted. */
export function isQueued({ state }: LiveExecution, step: StepIndex): boolean {
  return stepStatus(state, step) === "queued";
}

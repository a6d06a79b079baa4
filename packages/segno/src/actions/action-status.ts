// The status of an action, and whether a delivery of it may run.
//
//   V1. The epoch is that of the step's attempts: it rises with every claim. Accepting the action is the first claim,
//       and a recorded success the last rise (LEASE-2, ruling 29). So it is never 0 for an accepted action.
//   V2. Only the engine claims an accepted action: no delivery of it runs, whatever its epoch (LEASE-4).

import { executionStatus, stepNamed, stepSnapshot, type State, type StepStatus } from "@segno/kernel";
import type { Action } from "@segno/planner";
import { isSameId, knownLease, actionStepId } from "./action-plan.ts";
import { EpochConflictError } from "./epoch-conflict-error.ts";
import { LeaseExpiredError } from "./lease-expired-error.ts";

/** The status of an action that was dispatched. */
export interface ActionStatus {
  readonly actionId: string;
  /** The execution that contains the action as a step. */
  readonly executionId: string;
  readonly leaseId: string;
  /** True if the action may no longer run under that lease, because its execution is cancelled. */
  readonly isRevoked: boolean;
  readonly epoch: number;
  readonly status: StepStatus;
  readonly attempts: number;
}

/** Undefined if the execution has no such action. */
export function actionStatus(executionId: string, state: State, actionId: string): ActionStatus | undefined {
  const lease = knownLease(state.program.definition, actionId);
  const step = stepNamed(state, actionStepId(actionId));
  if (lease === undefined || step === undefined) return undefined;
  const { status, attempts, epoch } = stepSnapshot(state, step);
  return {
    actionId,
    executionId,
    leaseId: lease.leaseId,
    isRevoked: ["cancelling", "cancelled"].includes(executionStatus(state)),
    epoch: Math.max(1, epoch) + (status === "succeeded" ? 1 : 0),
    status,
    attempts,
  };
}

/** LEASE-1: a delivery with a different lease, or with a revoked one, is refused. */
export function checkLease({ actionId, leaseId }: Action, known: ActionStatus): void {
  const { executionId } = known;
  if (!isSameId(leaseId, known.leaseId))
    throw new LeaseExpiredError(actionId, `the execution ${executionId} holds it under another lease`);
  if (known.isRevoked) throw new LeaseExpiredError(actionId, `its lease was revoked with the execution ${executionId}`);
}

/** The reason why a delivery of an accepted action does not run (V2). */
export function toConflictError(action: Action, known: ActionStatus): EpochConflictError {
  checkLease(action, known);
  const { epoch, status, executionId } = known;
  const where = `the execution ${executionId} has it, and it is ${status}`;
  return new EpochConflictError(action, epoch, `its epoch is ${epoch}; ${where}`);
}

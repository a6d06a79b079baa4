// What the engine knows of an action, and whether a delivery of it may run.
//
//   V1. The epoch is that of the step's attempts: it rises with every claim. Taking the action in is the first claim, and a
//       recorded success the last rise (LEASE-2, ruling 29). So it is never 0 for what the engine has.
//   V2. What the engine has, only the engine claims: no delivery of it runs, whatever its epoch (LEASE-4).

import { executionStatus, stepNamed, stepSnapshot, type State, type StepStatus } from "@segno/kernel";
import type { Action } from "@segno/planner";
import { isSameId, knownLease, actionStepId } from "./action-plan.ts";
import { EpochConflictError } from "./epoch-conflict-error.ts";
import { LeaseExpiredError } from "./lease-expired-error.ts";

export interface ActionStatus {
  readonly actionId: string;
  /** The execution whose step it is. */
  readonly executionId: string;
  readonly leaseId: string;
  /** Whether it may still run under that lease: not when its execution is cancelled. */
  readonly isRevoked: boolean;
  readonly epoch: number;
  readonly status: StepStatus;
  readonly attempts: number;
}

/** Nothing when the execution has no such action. */
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

/** LEASE-1: whoever comes with another lease, or with one that was revoked, has nothing to do with the action. */
export function checkLease({ actionId, leaseId }: Action, known: ActionStatus): void {
  const { executionId } = known;
  if (!isSameId(leaseId, known.leaseId))
    throw new LeaseExpiredError(actionId, `the execution ${executionId} holds it under another lease`);
  if (known.isRevoked) throw new LeaseExpiredError(actionId, `its lease was revoked with the execution ${executionId}`);
}

/** Why a delivery of an action that the engine has does not run (V2). */
export function toConflictError(action: Action, known: ActionStatus): EpochConflictError {
  checkLease(action, known);
  const { epoch, status, executionId } = known;
  const where = `the execution ${executionId} has it, and it is ${status}`;
  return new EpochConflictError(action, epoch, `its epoch is ${epoch}; ${where}`);
}

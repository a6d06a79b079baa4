// The table of all transitions. `fold` moves only along this table, and docs/states.md is generated from it. A transition that
// is not in the table is a bug and stops the execution that tries it (STATE-2).

import type { EventKind } from "../journal/event.ts";
import type { ExecutionStatus, StepStatus } from "./phase.ts";

/** Derived transitions, which are never written. */
export type DerivedCause = "dependencies met" | "admission requested" | "backoff over" | "admission withdrawn";

export interface StepTransition {
  readonly from: StepStatus;
  readonly on: EventKind | DerivedCause;
  readonly to: StepStatus;
  readonly why: string;
  readonly rule: string;
}

export interface ExecutionTransition {
  readonly from: ExecutionStatus | "none";
  readonly on: EventKind;
  readonly to: ExecutionStatus;
  readonly why: string;
  readonly rule: string;
}

function step(
  from: StepStatus,
  on: EventKind | DerivedCause,
  to: StepStatus,
  rule: string,
  why: string,
): StepTransition {
  return { from, on, to, rule, why };
}

function execution(
  from: ExecutionStatus | "none",
  on: EventKind,
  to: ExecutionStatus,
  rule: string,
  why: string,
): ExecutionTransition {
  return { from, on, to, rule, why };
}

export const STEP_TRANSITIONS: readonly StepTransition[] = [
  step("waiting", "dependencies met", "ready", "STATE-3", "its count of unmet dependencies reached zero"),
  step(
    "ready",
    "admission requested",
    "queued",
    "STATE-4",
    "condition and input are valid; it requests slot and resources",
  ),
  step("queued", "admission withdrawn", "ready", "CANCEL-7", "the execution was paused or parked before it started"),
  step(
    "queued",
    "admission withdrawn",
    "retrying",
    "CANCEL-7",
    "the execution was paused or parked before its next attempt started",
  ),
  step("queued", "step.started", "running", "STATE-4", "slot and resources were granted"),
  step("ready", "step.skipped", "skipped", "STATE-4", "its condition is false"),
  step(
    "ready",
    "step.failed",
    "failed",
    "STATE-4",
    "condition or input cannot be evaluated, or the input does not fit its schema",
  ),
  step("ready", "step.completed", "succeeded", "BEYOND-1", "it is a barrier, and all its dependencies have ended"),
  step(
    "queued",
    "step.failed",
    "failed",
    "STATE-9",
    "the workflow that it calls cannot be loaded, or refuses the input",
  ),
  step("ready", "step.suspended", "suspended", "STATE-2", "it waits for a signal, an approval or a time"),
  step("ready", "step.expanded", "open", "STATE-9", "it opened into the items of a map"),
  step("queued", "step.expanded", "open", "STATE-9", "it opened into a workflow"),
  step(
    "running",
    "step.completed",
    "succeeded",
    "STATE-4",
    "the attempt returned; its output was captured and checked",
  ),
  step(
    "running",
    "step.failed",
    "failed",
    "FAIL-2",
    "the attempt failed, and no attempt is left or the failure is permanent",
  ),
  step("running", "step.retried", "retrying", "FAIL-2", "the attempt failed and another one will follow"),
  step("running", "step.skipped", "skipped", "STATE-4", "the handler returned `skip()`"),
  step("running", "step.expanded", "open", "STATE-9", "the attempt returned steps to run in its place"),
  step(
    "running",
    "step.lost",
    "ready",
    "FAIL-9",
    "the attempt was lost with its process; it runs again under a higher epoch",
  ),
  step(
    "running",
    "steps.cancelling",
    "cancelling",
    "CANCEL-2",
    "it was asked to stop and has the grace period to clean up",
  ),
  step(
    "running",
    "step.overdue",
    "cancelling",
    "FAIL-4",
    "it timed out; it was asked to stop and has the grace period to clean up",
  ),
  step(
    "running",
    "step.cancelled",
    "cancelled",
    "CANCEL-3",
    "it was lost, or returned steps, while the execution was drained",
  ),
  step("retrying", "backoff over", "queued", "FAIL-3", "the delay is over; it requests slot and resources again"),
  step(
    "suspended",
    "step.completed",
    "succeeded",
    "STATE-2",
    "the signal or the approval that it waited for arrived, or the time has come",
  ),
  step(
    "suspended",
    "step.failed",
    "failed",
    "STATE-2",
    "the signal or the approval did not arrive in time, or was rejected",
  ),
  step("open", "step.completed", "succeeded", "STATE-9", "its children have ended"),
  step("open", "step.failed", "failed", "STATE-9", "its children have ended, and the failure of one of them fails it"),
  step("open", "steps.cancelling", "cancelling", "CANCEL-2", "its children are being stopped"),
  step(
    "open",
    "step.cancelled",
    "cancelled",
    "CANCEL-3",
    "its children have ended, and one of them was cancelled by a drain",
  ),
  step("cancelling", "step.retried", "retrying", "FAIL-4", "it timed out and has stopped; another attempt follows"),
  step("cancelling", "step.failed", "failed", "FAIL-4", "it timed out and has stopped; no attempt is left"),
  step("cancelling", "steps.cancelling", "cancelling", "CANCEL-2", "it timed out; no further attempt will follow"),
  step(
    "cancelling",
    "step.completed",
    "succeeded",
    "CANCEL-2",
    "it returned a value within the grace period, which counts",
  ),
  step(
    "cancelling",
    "step.cancelled",
    "cancelled",
    "CANCEL-5",
    "it ended by itself, or was killed after the grace period",
  ),
  ...(["waiting", "ready", "queued", "retrying", "suspended"] as const).flatMap((from) => [
    step(from, "steps.cancelled", "cancelled", "CANCEL-4", "the execution was cancelled before it ran"),
    step(
      from,
      "steps.skipped",
      "skipped",
      from === "waiting" ? "STATE-5" : "STATE-7",
      from === "waiting"
        ? "a dependency failed, its primary did not need it, or the execution is failing"
        : "the execution is failing",
    ),
  ]),
  ...(["failed", "skipped", "cancelled"] as const).map((from) =>
    step(
      from,
      "execution.reopened",
      "waiting",
      "STATE-2",
      "a new round: it neither succeeded nor was skipped by its condition",
    ),
  ),
  step(
    "succeeded",
    "execution.reopened",
    "waiting",
    "FAIL-8",
    "a new round: its work was undone, or its input changed",
  ),
  ...(["failed", "cancelled"] as const).map((from) =>
    step(from, "execution.reopened", "open", "STATE-9", "a new round: its failed children run again"),
  ),
  step(
    "succeeded",
    "execution.reopened",
    "open",
    "FAIL-8",
    "a new round: the work of one of its children was undone, or a tolerated failure inside it runs again",
  ),
];

export const EXECUTION_TRANSITIONS: readonly ExecutionTransition[] = [
  execution("none", "execution.created", "pending", "STATE-1", "a client started it"),
  execution("pending", "execution.validating", "validating", "STATE-1", "its input is being checked"),
  execution("validating", "execution.started", "running", "STATE-1", "its input fits"),
  execution("validating", "execution.failed", "failed", "STATE-1", "its input does not fit"),
  execution("running", "execution.paused", "paused", "CANCEL-7", "no new step starts; running steps finish"),
  execution("failing", "execution.paused", "failing", "CANCEL-7", "clean-up does not start until it is resumed"),
  execution("paused", "execution.resumed", "running", "CANCEL-7", "it continues"),
  execution("failing", "execution.resumed", "failing", "CANCEL-7", "clean-up continues"),
  execution(
    "parked",
    "execution.resumed",
    "running",
    "STATE-1",
    "a person resumed it; it returns to its previous state",
  ),
  execution(
    "parked",
    "execution.resumed",
    "failing",
    "STATE-1",
    "a person resumed it; it returns to its previous state",
  ),
  execution("parked", "execution.resumed", "cancelling", "STATE-1", "a person resumed it; its compensation continues"),
  ...(["running", "paused", "failing", "parked", "cancelling"] as const).map((from) =>
    execution(from, "execution.parked", "parked", "FAIL-9", "it waits for a person"),
  ),
  execution("running", "execution.failing", "failing", "STATE-7", "a step failed for good, or the workflow timed out"),
  execution("paused", "execution.failing", "failing", "STATE-7", "a step that still ran failed for good"),
  execution(
    "parked",
    "execution.failing",
    "parked",
    "STATE-7",
    "a step that still ran failed for good; it keeps waiting, and will fail",
  ),
  ...(["running", "paused", "parked"] as const).map((from) =>
    execution(
      from,
      "execution.completed",
      "completed",
      "STATE-1",
      "every step has ended, and no failure fails the execution",
    ),
  ),
  ...(["failing", "parked"] as const).map((from) =>
    execution(from, "execution.failed", "failed", "STATE-1", "its last attempt and its compensation have ended"),
  ),
  ...(["running", "paused"] as const).map((from) =>
    execution(from, "execution.failed", "failed", "STATE-12", "its output cannot be evaluated, or no step can proceed"),
  ),
  execution("cancelling", "execution.failed", "failed", "STATE-12", "no step can proceed"),
  ...(["pending", "validating", "running", "paused", "parked", "failing"] as const).map((from) =>
    execution(from, "execution.cancelling", "cancelling", "CANCEL-2", "it was asked to stop"),
  ),
  execution(
    "cancelling",
    "execution.cancelling",
    "cancelling",
    "CANCEL-2",
    "a drain became an abort, or a grace period was shortened",
  ),
  ...(["failing", "cancelling"] as const).map((from) =>
    execution(from, "execution.compensating", from, "FAIL-8", "the succeeded steps are being undone, newest first"),
  ),
  execution(
    "parked",
    "execution.compensating",
    "parked",
    "FAIL-8",
    "compensation is due, and begins when it is resumed",
  ),
  execution(
    "failed",
    "execution.compensating",
    "failing",
    "FAIL-8",
    "the steps that could not be undone are tried again",
  ),
  execution(
    "cancelled",
    "execution.compensating",
    "cancelling",
    "FAIL-8",
    "the steps that could not be undone are tried again",
  ),
  ...(["cancelling", "parked"] as const).map((from) =>
    execution(from, "execution.cancelled", "cancelled", "STATE-1", "its last attempt and its compensation have ended"),
  ),
  execution("failed", "execution.reopened", "running", "STATE-2", "a new round for the steps that did not succeed"),
  execution(
    "completed",
    "execution.reopened",
    "running",
    "STATE-2",
    "a new round for the failures that were tolerated",
  ),
];

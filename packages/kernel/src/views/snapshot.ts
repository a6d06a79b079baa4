// A snapshot: the durable state of an execution as plain data, with names instead of step indexes. People see it, and tests
// compare it: the fold of a journal and the live state have the same snapshot (JOURNAL-2).

import type { Event, SkipReason, Vote, Wait } from "../journal/event.ts";
import type { Failure } from "../model/failure.ts";
import type { ContentHash, EpochMs } from "../model/units.ts";
import type { Value } from "../model/value.ts";
import type { JsonObject } from "../model/json.ts";
import { notUndoneReport } from "../state/compensation.ts";
import { ContextMaker } from "../rules/context.ts";
import { stepName } from "../state/names.ts";
import { isTerminalStatus, PHASES, type ExecutionStatus, type StepStatus } from "../state/phase.ts";
import { mayStart } from "../state/permission.ts";
import { executionStatus, stepCount, type State } from "../state/state.ts";
import { isReady } from "../state/step-status.ts";
import { stepTimes, type StepTimes } from "../state/step-times.ts";
import { forceTime } from "../rules/timers.ts";
import type { StoredValues } from "../rules/stored-values.ts";

/** The state of an execution and of its steps as plain data. */
export interface ExecutionSnapshot {
  readonly status: ExecutionStatus | "none";
  readonly round: number;
  readonly seq: number;
  readonly at: EpochMs;
  readonly result?: Value;
  readonly failure?: Failure;
  readonly steps: readonly StepSnapshot[];
}

/** A step that was to be undone and is not, with the failure of its last compensation. */
export interface NotUndoneStep {
  readonly step: string;
  readonly failure: Failure;
}

/** The state of a step as plain data. */
export interface StepSnapshot extends StepTimes {
  readonly name: string;
  /** Includes `ready` and `queued`, which are derived from the journal and from pauses. */
  readonly status: StepStatus;
  readonly attempts: number;
  readonly epoch: number;
  readonly unmet: number;
  readonly detail: StepDetail;
  /** The recorded calls of the step, oldest first; absent if it has none (STATE-14). */
  readonly calls?: readonly CallSnapshot[];
}

/** A recorded call of a step, with its value and its times. */
export interface CallSnapshot {
  readonly name: string;
  readonly startedAt: EpochMs;
  readonly completedAt: EpochMs;
  readonly value: Value;
}

/** The details of a step's status: its output, its failure, the reason of a skip or the wait. */
export type StepDetail =
  | { readonly kind: "none" }
  | { readonly kind: "output"; readonly output: Value }
  | { readonly kind: "failure"; readonly failure: Failure; readonly dueAt?: EpochMs }
  | { readonly kind: "skip"; readonly reason: SkipReason }
  /** With the votes on an approval so far, oldest first; `effectiveVotes` tells which of them count. */
  | { readonly kind: "wait"; readonly wait: Wait; readonly votes?: readonly Vote[] }
  /** The step was told to stop, and is killed if it has not stopped by this time. */
  | { readonly kind: "stopping"; readonly reason: string; readonly forceAt: EpochMs }
  /** The step was cancelled: it was not running, it stopped when it was told to, or it was killed. */
  | { readonly kind: "stopped"; readonly ended: "unbegun" | "itself" | "by-force"; readonly reason: string };

/** Returns the state of an execution as plain data. */
export function toSnapshot(state: State): ExecutionSnapshot {
  const { round, seq, at, result, failure } = state;
  return {
    status: executionStatus(state),
    round,
    seq,
    at,
    ...(result === undefined ? {} : { result }),
    ...(failure === undefined ? {} : { failure: failure.failure }),
    steps: Array.from({ length: stepCount(state) }, (_, step) => stepSnapshot(state, step)),
  };
}

/** The steps that an execution did not undo before it ended, newest first; empty before the end (FAIL-8). */
export function notUndoneSteps(state: State): readonly NotUndoneStep[] {
  if (!isTerminalStatus(state.baseStatus)) return [];
  return notUndoneReport(state).map(({ step, failure }) => ({ step: stepName(state, step), failure }));
}

const EVERYTHING = [{ path: ["input"] }, { path: ["variables"] }, { path: ["steps"] }];

/** The context as the output of a workflow sees it (EVENT-1), and the values that must be loaded for it. */
export function contextSnapshot(state: State, value: StoredValues["value"]): ContextSnapshot {
  const maker = new ContextMaker(state, { value, checkSchema: () => [] });
  const context = maker.forRegion(state.regions[0]!, EVERYTHING);
  return { context, needs: [...maker.needs] };
}

export interface ContextSnapshot {
  readonly context: JsonObject;
  readonly needs: readonly ContentHash[];
}

export function stepSnapshot(state: State, step: number): StepSnapshot {
  const { attempts, epoch, unmet } = state.columns;
  return {
    name: stepName(state, step),
    status: journaledStatus(state, step),
    attempts: attempts[step]!,
    ...stepTimes(state, step),
    epoch: epoch[step]!,
    unmet: unmet[step]!,
    detail: stepDetail(state, step),
    ...recordedCalls(state, step),
  };
}

function recordedCalls(state: State, step: number): Pick<StepSnapshot, "calls"> {
  const calls = state.recordedCalls.get(step);
  if (calls === undefined) return {};
  return {
    calls: [...calls.values()].map(({ name, startedAt, at, value }) => ({ name, startedAt, completedAt: at, value })),
  };
}

/** If nothing holds the execution, a ready step requests its slot in the same turn. */
function journaledStatus(state: State, step: number): StepStatus {
  if (!isReady(state, step)) return PHASES[state.columns.phase[step]!]!;
  return mayStart(state, step) ? "queued" : "ready";
}

function stepDetail(state: State, step: number): StepDetail {
  const detail = toDetail(state.phaseEvents[step]);
  if (detail.kind === "stopping") return { ...detail, forceAt: forceTime(state, step) ?? detail.forceAt };
  return withVotes(detail, state.votes.get(step));
}

/** The votes as they were cast, without their sequence numbers. */
function withVotes(detail: StepDetail, votes: readonly Vote[] | undefined): StepDetail {
  if (detail.kind !== "wait" || votes === undefined) return detail;
  return {
    ...detail,
    votes: votes.map(({ id, by, verdict, comment, answer }) => ({
      id,
      by,
      verdict,
      ...(comment === undefined ? {} : { comment }),
      ...(answer === undefined ? {} : { answer }),
    })),
  };
}

function toDetail(event: Event | undefined): StepDetail {
  switch (event?.kind) {
    case "step.completed":
      return { kind: "output", output: event.output };
    case "step.failed":
      return { kind: "failure", failure: event.failure };
    case "step.retried":
      return { kind: "failure", failure: event.failure, dueAt: event.dueAt };
    case "step.skipped":
    case "steps.skipped":
      return { kind: "skip", reason: event.reason };
    case "step.suspended":
      return { kind: "wait", wait: event.wait };
    case "step.overdue":
      return { kind: "stopping", reason: event.failure.message, forceAt: event.forceAt };
    case "steps.cancelling":
      return { kind: "stopping", reason: event.reason, forceAt: event.forceAt };
    case "steps.cancelled":
      return { kind: "stopped", ended: "unbegun", reason: event.reason };
    case "step.cancelled":
      return { kind: "stopped", ended: event.ended, reason: event.reason };
    default:
      return { kind: "none" };
  }
}

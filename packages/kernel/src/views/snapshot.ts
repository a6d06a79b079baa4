// A snapshot: all that is durable about an execution, as plain data with names instead of places. It is what people are
// shown, and what tests compare: the fold of a journal and the live state have the same snapshot (JOURNAL-2).

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
import type { World } from "../rules/world.ts";

export interface ExecutionSnapshot {
  readonly status: ExecutionStatus | "none";
  readonly round: number;
  readonly seq: number;
  readonly at: EpochMs;
  readonly result?: Value;
  readonly failure?: Failure;
  readonly steps: readonly StepSnapshot[];
}

/** A step that still stands though it was to be undone, and how the last try to undo it failed. */
export interface NotUndoneStep {
  readonly step: string;
  readonly failure: Failure;
}

export interface StepSnapshot extends StepTimes {
  readonly name: string;
  /** With `ready` and `queued`, which no event says: they follow from what the journal says of the others and of pauses. */
  readonly status: StepStatus;
  readonly attempts: number;
  readonly epoch: number;
  readonly unmet: number;
  readonly detail: StepDetail;
}

export type StepDetail =
  | { readonly kind: "none" }
  | { readonly kind: "output"; readonly output: Value }
  | { readonly kind: "failure"; readonly failure: Failure; readonly dueAt?: EpochMs }
  | { readonly kind: "skip"; readonly reason: SkipReason }
  /** With the votes on an approval so far, oldest first; `standingVotes` says which of them count. */
  | { readonly kind: "wait"; readonly wait: Wait; readonly votes?: readonly Vote[] }
  /** It was told to stop, and is ended by force if it has not stopped by then. */
  | { readonly kind: "stopping"; readonly reason: string; readonly forceAt: EpochMs }
  /** It was cancelled: nothing of it was under way, it stopped when it was told to, or it was ended by force. */
  | { readonly kind: "stopped"; readonly ended: "unbegun" | "itself" | "by-force"; readonly reason: string };

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

/** What an execution ended without having undone, newest first; before its end, undoing may still come or go on (FAIL-8). */
export function notUndoneSteps(state: State): readonly NotUndoneStep[] {
  if (!isTerminalStatus(state.base)) return [];
  return notUndoneReport(state).map(({ step, failure }) => ({ step: stepName(state, step), failure }));
}

const EVERYTHING = [{ path: ["input"] }, { path: ["variables"] }, { path: ["steps"] }];

/** The context as a workflow's output sees it (EVENT-1), and the values that have to be loaded before it is whole. */
export function contextSnapshot(state: State, value: World["value"]): ContextSnapshot {
  const maker = new ContextMaker(state, { value, check: () => [] });
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
  };
}

/** Where nothing holds it, a step that is ready asks for its slot in the same turn. */
function journaledStatus(state: State, step: number): StepStatus {
  if (!isReady(state, step)) return PHASES[state.columns.phase[step]!]!;
  return mayStart(state, step) ? "queued" : "ready";
}

function stepDetail(state: State, step: number): StepDetail {
  const detail = toDetail(state.last[step]);
  if (detail.kind === "stopping") return { ...detail, forceAt: forceTime(state, step) ?? detail.forceAt };
  return withVotes(detail, state.votes.get(step));
}

/** As they were cast, without their places in the journal. */
function withVotes(detail: StepDetail, votes: readonly Vote[] | undefined): StepDetail {
  if (detail.kind !== "wait" || votes === undefined) return detail;
  return {
    ...detail,
    votes: votes.map(({ id, by, verdict, comment }) => ({
      id,
      by,
      verdict,
      ...(comment === undefined ? {} : { comment }),
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

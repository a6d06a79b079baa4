// Explains why an execution does not make progress: reasons from its journal, and the scheduler's reasons for ready
// steps.

import {
  attemptCount,
  executionStatus,
  isInternalStep,
  isTerminalStatus,
  planBlocker,
  itemLimit,
  pendingDependencies,
  stepStatus,
  stepCount,
  stepName,
  effectiveVotes,
  stepNamed,
  stepSnapshot,
  type EpochMs,
  type State,
  type StepStatus,
  type Vote,
  type Wait,
} from "@segno/kernel";
import type { LabelOf } from "../journal/item-labels.ts";
import { isRetryDue } from "./due-retry.ts";
import { endOfExecution, endOfStep } from "./end.ts";
import type { AdmissionReason, Reason, Waiting } from "./reason.ts";
import { reasonText, type NamedStep } from "./reason-text.ts";

export interface WhyRequest {
  readonly state: State;
  readonly now: EpochMs;
  /** The name of one step; without it, all steps that have not ended. */
  readonly step: string | undefined;
  /** The scheduler's reasons for a step that waits for admission. */
  readonly admissionReasons: (step: number) => readonly AdmissionReason[];
  readonly labelOf: LabelOf;
}

const ENDED: ReadonlySet<StepStatus> = new Set<StepStatus>(["succeeded", "failed", "skipped", "cancelled"]);

export function why({ state, now, step, admissionReasons, labelOf }: WhyRequest): readonly Waiting[] {
  const waiting: Waiting[] = executionReasons(state).map((reason) => {
    return { step: undefined, reason, text: reasonText(undefined, reason, now) };
  });
  if (isTerminalStatus(state.baseStatus) && step === undefined) return waiting;
  for (const index of findSteps(state, step)) {
    const named = { name: stepName(state, index), label: labelOf(index) };
    for (const reason of stepReasons({ state, now, admissionReasons }, index))
      waiting.push(toWaitingStep(named, reason, now));
  }
  return waiting;
}

/** The step that has the name now, or every step that has not ended, without internal steps that only wait for others. */
function findSteps(state: State, step: string | undefined): readonly number[] {
  if (step === undefined)
    return Array.from({ length: stepCount(state) }, (_, index) => index).filter((index) => {
      const status = stepStatus(state, index);
      return !ENDED.has(status) && (status !== "waiting" || !isInternalStep(state, index));
    });
  const index = stepNamed(state, step);
  return index === undefined ? [] : [index];
}

function toWaitingStep({ name, label }: NamedStep, reason: Reason, now: EpochMs): Waiting {
  const text = reasonText({ name, label }, reason, now);
  return { step: name, ...(label === undefined ? {} : { label }), reason, text };
}

function executionReasons(state: State): readonly Reason[] {
  const { baseStatus, hold } = state;
  if (isTerminalStatus(baseStatus)) return [endOfExecution(state)];
  if (hold?.kind === "parked") return [{ kind: "parked", cause: hold.cause, reason: hold.reason }];
  return executionStatus(state) === "paused" ? [{ kind: "paused" }] : [];
}

function stepReasons(
  { state, now, admissionReasons }: Pick<WhyRequest, "state" | "now" | "admissionReasons">,
  step: number,
): readonly Reason[] {
  const status = stepStatus(state, step);
  switch (status) {
    case "waiting":
      return dependencyReasons(state, step);
    case "ready":
    case "queued": {
      if (state.hold !== undefined) return [holdReason(step, state.hold)];
      const reasons = admissionReasons(step);
      return reasons.length === 0 ? [{ kind: "ready" }] : reasons;
    }
    case "running":
      return [{ kind: "running", attempt: attemptCount(state, step) }];
    case "retrying": {
      const reasons = isRetryDue(state, step, now) ? admissionReasons(step) : [];
      return reasons.length === 0 ? backoffReasons(state, step) : reasons;
    }
    case "suspended":
      return suspensionReasons(state, step);
    case "open":
      return [{ kind: "children", unsettled: state.regions.find(({ parent }) => parent === step)?.unsettled ?? 0 }];
    case "cancelling":
      return stoppingReasons(state, step);
    case "succeeded":
    case "failed":
    case "skipped":
    case "cancelled":
      return [endOfStep(state, step)];
  }
}

/**
 * A ready step does not start while the execution is paused or parked. The cause of the park is reported for the step
 * that caused it.
 */
function holdReason(step: number, hold: NonNullable<State["hold"]>): Reason {
  if (hold.kind === "parked" && hold.step === step) return { kind: "parked", cause: hold.cause, reason: hold.reason };
  return { kind: "held", by: hold.kind };
}

function dependencyReasons(state: State, step: number): readonly Reason[] {
  const limit = itemLimit(state, step);
  if (limit !== undefined) return [{ kind: "item", limit }];
  const blocker = planBlocker(state, step);
  const pending = pendingDependencies(state, step);
  const on = pending.length === 0 && blocker !== undefined ? [blocker] : pending;
  return [{ kind: "dependency", on: on.map((each) => stepName(state, each)) }];
}

function backoffReasons(state: State, step: number): readonly Reason[] {
  const { detail } = stepSnapshot(state, step);
  if (detail.kind !== "failure" || detail.dueAt === undefined) return [{ kind: "ready" }];
  return [{ kind: "backoff", until: detail.dueAt, failure: detail.failure }];
}

function stoppingReasons(state: State, step: number): readonly Reason[] {
  const { detail } = stepSnapshot(state, step);
  if (detail.kind !== "stopping") return [{ kind: "ready" }];
  return [{ kind: "stopping", reason: detail.reason, until: detail.forceAt }];
}

function suspensionReasons(state: State, step: number): readonly Reason[] {
  const { detail } = stepSnapshot(state, step);
  return detail.kind === "wait" ? [waitReason(detail.wait, detail.votes ?? [])] : [{ kind: "ready" }];
}

function waitReason(wait: Wait, votes: readonly Vote[]): Reason {
  switch (wait.kind) {
    case "timer":
      return { kind: "timer", until: wait.dueAt };
    case "signal":
      return {
        kind: "signal",
        signal: wait.signal,
        ...(wait.expiresAt === undefined ? {} : { until: wait.expiresAt }),
      };
    case "approval":
      return approvalReason(wait, votes);
  }
}

function approvalReason(wait: Wait & { kind: "approval" }, votes: readonly Vote[]): Reason {
  const { by, quorum, message, needsAnswer, expiresAt } = wait;
  const request = votes.findLast(({ verdict }) => verdict === "changes");
  return {
    kind: "approval",
    quorum,
    approved: effectiveVotes(votes).map((vote) => vote.by),
    ...(by === undefined ? {} : { by }),
    ...(request === undefined ? {} : { changes: requestedChanges(request) }),
    ...(message === undefined ? {} : { message }),
    ...(needsAnswer === undefined ? {} : { needsAnswer }),
    ...(expiresAt === undefined ? {} : { until: expiresAt }),
  };
}

function requestedChanges({ by, comment }: Vote): { readonly by: string; readonly comment?: string } {
  return comment === undefined ? { by } : { by, comment };
}

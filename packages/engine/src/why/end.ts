// How and why an execution or a step ended (STATE-10), with names instead of indexes.

import {
  compiledStep,
  stepName,
  stepRelations,
  stepSnapshot,
  type Failure,
  type SkipReason,
  type State,
} from "@segno/kernel";
import type { EndedReason, SkipCause } from "./reason.ts";

export function endOfExecution({ baseStatus, failure, cancelling }: State): EndedReason {
  return {
    kind: "ended",
    status: baseStatus,
    ...(baseStatus === "failed" && failure !== undefined ? { failure: failure.failure } : {}),
    ...(baseStatus === "cancelled" && cancelling !== undefined ? { reason: cancelling.reason } : {}),
  };
}

export function endOfStep(state: State, step: number): EndedReason {
  const { status, detail } = stepSnapshot(state, step);
  const ended = { kind: "ended", status } as const;
  switch (detail.kind) {
    case "failure":
      return { ...ended, failure: detail.failure };
    case "skip":
      return { ...ended, skip: skipCause(state, step, detail.reason) };
    case "stopped":
      return { ...ended, stopped: detail.ended, reason: detail.reason };
    default:
      return { ...ended, ...unrecordedFacts(state, step, status) };
  }
}

/**
 * Facts that no event records: a disabled step is skipped from the start, and a step does not record that it was
 * undone.
 */
function unrecordedFacts(state: State, step: number, status: string): Partial<EndedReason> {
  if (status === "skipped") return { skip: { kind: "disabled" } };
  return stepRelations(state)(step)?.undone === true ? { undone: true } : {};
}

function skipCause(state: State, step: number, reason: SkipReason): SkipCause {
  switch (reason.kind) {
    case "condition": {
      const { when: condition } = compiledStep(state, step).definition;
      return { kind: reason.kind, ...(condition === undefined ? {} : { condition }) };
    }
    case "dependency-failed": {
      const { dependency } = reason;
      return { kind: reason.kind, dependency: stepName(state, dependency), ...stepFailure(state, dependency) };
    }
    case "fallback-unused":
      return { kind: reason.kind, primary: stepName(state, reason.primary) };
    case "skipped-by-handler":
    case "failing":
    case "disabled":
      return reason;
  }
}

function stepFailure(state: State, step: number): { readonly failure?: Failure } {
  const { detail } = stepSnapshot(state, step);
  return detail.kind === "failure" ? { failure: detail.failure } : {};
}

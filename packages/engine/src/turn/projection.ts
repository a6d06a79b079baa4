// The projection of an execution: a summary that the store keeps, so that queries need not fold the journal.

import {
  activeCount,
  epochMs,
  executionStatus,
  isTerminalStatus,
  toProgress,
  listTimers,
  toleratedFailureCount,
  type EpochMs,
  type State,
} from "@segno/kernel";
import { labelsText } from "../checks/labels.ts";
import { asName } from "../checks/names.ts";
import type { Projection } from "../store/store.ts";
import { missingPrerequisiteStep } from "../attempts/missing-prerequisite.ts";
import type { LiveExecution } from "./live-execution.ts";

/** Derived from the journal, so it can be rebuilt (JOURNAL-4). */
export function toProjection(
  execution: Pick<LiveExecution, "state" | "definition" | "priority">,
  head: string,
): Projection {
  const { state, definition, priority } = execution;
  const { total, ended } = toProgress(state);
  const status = executionStatus(state);
  const labels = labelsText(state.created?.labels);
  const toleratedFailures = toleratedFailureCount(state);
  return {
    workflow: state.program.definition.name,
    definition,
    status: status === "none" ? "pending" : status,
    seq: state.seq,
    head,
    createdAt: state.created?.at ?? state.at,
    updatedAt: state.at,
    wakeAt: computeWakeAt(execution),
    priority,
    correlationId: state.created?.correlationId ?? "",
    stepsTotal: total,
    stepsEnded: ended,
    ...(labels === undefined ? {} : { labels }),
    ...(toleratedFailures === 0 ? {} : { toleratedFailures }),
    ...failureText(state),
  };
}

/** Enough to find an execution by its failure. */
const FAILURE_LENGTH_MAX = 500;

function failureText({ baseStatus, failure }: State): Pick<Projection, "failure"> {
  if (baseStatus !== "failed" || failure === undefined) return {};
  return { failure: asName(failure.failure.message.slice(0, FAILURE_LENGTH_MAX)) };
}

/**
 * When the execution is due after a crash. An execution with running steps is due at once, and so is one that is parked
 * because the process lacked something: the next process may have it. An execution that only waits is due with its
 * earliest timer.
 */
export function computeWakeAt({ state }: Pick<LiveExecution, "state">): EpochMs | null {
  if (isTerminalStatus(state.baseStatus)) return null;
  if (activeCount(state) > 0 || state.baseStatus === "pending" || state.baseStatus === "validating") return state.at;
  if (missingPrerequisiteStep(state) !== undefined) return state.at;
  const earliest = listTimers(state).reduce((before, { dueAt }) => Math.min(before, dueAt), Infinity);
  // A definition may contain fractions of a millisecond; stores keep whole milliseconds.
  return earliest === Infinity ? null : epochMs(Math.ceil(earliest));
}

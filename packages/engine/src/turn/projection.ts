// The projection of an execution: what the store keeps to be asked about, without folding its journal.

import { epochMs, executionStatus, isTerminalStatus, toProgress, listTimers, type EpochMs } from "@segno/kernel";
import type { Projection } from "../store/store.ts";
import { missingRunnerStep } from "../attempts/missing-runner.ts";
import type { LiveExecution } from "./live-execution.ts";

/** What the store keeps to be asked about. It follows from the journal, so it can be made again from that (JOURNAL-4). */
export function toProjection(
  execution: Pick<LiveExecution, "state" | "definition" | "priority">,
  head: string,
): Projection {
  const { state, definition, priority } = execution;
  const { total, ended } = toProgress(state);
  const status = executionStatus(state);
  return {
    workflow: state.program.definition.name,
    definition,
    status: status === "none" ? "pending" : status,
    seq: state.seq,
    head,
    createdAt: state.created?.at ?? state.at,
    updatedAt: state.at,
    wakeAt: wakeAt(execution),
    priority,
    correlationId: state.created?.correlationId ?? "",
    stepsTotal: total,
    stepsEnded: ended,
  };
}

/**
 * An execution in which something runs is due at once after a crash, and so is one that was parked because the process lacked
 * something: the next one may have it. One that only waits is due when its timer is.
 */
export function wakeAt({ state }: Pick<LiveExecution, "state">): EpochMs | null {
  if (isTerminalStatus(state.base)) return null;
  if (toProgress(state).active > 0 || state.base === "pending" || state.base === "validating") return state.at;
  if (missingRunnerStep(state) !== undefined) return state.at;
  const earliest = listTimers(state).reduce((before, { dueAt }) => Math.min(before, dueAt), Infinity);
  // A definition may say half a millisecond; stores keep whole ones.
  return earliest === Infinity ? null : epochMs(Math.ceil(earliest));
}

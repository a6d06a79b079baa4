// The merges of a workflow, read from its events. The events are derived from the journal, so the history is complete
// after a restart too.

import type { CodeEvent } from "../events/event-port.ts";
import type { ErrorType } from "../model/error-type.ts";
import { EventType } from "../model/event-type.ts";
import type { ConflictInfo } from "../model/merge-result.ts";

/** One try to merge the work of a task, or of the whole workflow. */
export interface MergeRecord {
  readonly workflowId: string;
  /** Undefined for the landing of the workflow. */
  readonly taskId?: string;
  readonly state: "merging" | "waiting_for_checks" | "waiting_for_approval" | "completed" | "failed";
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly error?: string;
  readonly errorType?: ErrorType;
  readonly conflicts?: ConflictInfo;
  readonly ciLogs?: string;
}

const STATES: Readonly<Partial<Record<EventType, MergeRecord["state"]>>> = {
  [EventType.MergeStarted]: "merging",
  [EventType.MergeWaitingForChecks]: "waiting_for_checks",
  [EventType.MergeWaitingForApproval]: "waiting_for_approval",
  [EventType.MergeCompleted]: "completed",
  [EventType.MergeFailed]: "failed",
};

/** The merges in the order in which they began, of one task or of all. */
export function mergeHistory(events: readonly CodeEvent[], taskId?: string): readonly MergeRecord[] {
  const records: MergeRecord[] = [];
  for (const event of events) {
    const state = STATES[event.type];
    if (state === undefined || (taskId !== undefined && event.taskId !== taskId)) continue;
    const at = records.findLastIndex((record) => record.taskId === event.taskId && record.endedAt === undefined);
    if (at < 0 || state === "merging") records.push(toRecord(event, state));
    else records[at] = { ...records[at]!, ...changes(event, state) };
  }
  return records;
}

function toRecord(event: CodeEvent, state: MergeRecord["state"]): MergeRecord {
  const { workflowId, taskId, timestamp } = event;
  return {
    workflowId,
    ...(taskId === undefined ? {} : { taskId }),
    startedAt: timestamp,
    ...changes(event, state),
  };
}

function changes(
  { timestamp, error, errorType, conflicts, ciLogs }: CodeEvent,
  state: MergeRecord["state"],
): Pick<MergeRecord, "state"> & Partial<MergeRecord> {
  return {
    state,
    ...(state === "completed" || state === "failed" ? { endedAt: timestamp } : {}),
    ...(error === undefined ? {} : { error }),
    ...(errorType === undefined ? {} : { errorType }),
    ...(conflicts === undefined ? {} : { conflicts }),
    ...(ciLogs === undefined ? {} : { ciLogs }),
  };
}

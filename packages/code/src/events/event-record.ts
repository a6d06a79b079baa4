// Log lines of events: one line for each event, with its level, its text and its fields (EVENT-5).

import type { LogLevel, SinkRecord } from "@segno/engine";
import { EventType } from "../model/event-type.ts";
import type { CodeEvent } from "./event-port.ts";

const LINES: Readonly<Record<EventType, readonly [LogLevel, string]>> = {
  [EventType.WorkflowStarted]: ["info", "Workflow started"],
  [EventType.WorkflowPaused]: ["info", "Workflow paused"],
  [EventType.WorkflowResumed]: ["info", "Workflow resumed"],
  [EventType.WorkflowCompleted]: ["info", "Workflow completed"],
  [EventType.WorkflowFailed]: ["error", "Workflow failed"],
  [EventType.TaskScheduled]: ["info", "Task scheduled"],
  [EventType.TaskClaimed]: ["debug", "Task claimed"],
  [EventType.TaskStarted]: ["info", "Task started"],
  [EventType.TaskCompleted]: ["info", "Task completed"],
  [EventType.TaskFailed]: ["error", "Task failed"],
  [EventType.SessionCreated]: ["debug", "Session created"],
  [EventType.SessionExecuting]: ["debug", "Session executing"],
  [EventType.SessionCompleted]: ["info", "Session completed"],
  [EventType.SessionTerminated]: ["warn", "Session terminated"],
  [EventType.MergeStarted]: ["info", "Merge started"],
  [EventType.MergeWaitingForChecks]: ["info", "Merge waiting for checks"],
  [EventType.MergeWaitingForApproval]: ["info", "Merge waiting for approval"],
  [EventType.MergeCompleted]: ["info", "Merge completed"],
  [EventType.MergeFailed]: ["error", "Merge failed"],
  [EventType.ErrorDetected]: ["warn", "Error detected"],
  [EventType.RetryAttempt]: ["warn", "Retry attempt"],
  [EventType.FixTaskCreated]: ["warn", "Fix task created"],
  [EventType.ErrorEscalated]: ["error", "Error escalated"],
};

/** The log level of a type of events. */
export function levelOfEvent(type: EventType): LogLevel {
  return LINES[type][0];
}

/** Converts an event to a line for a sink. */
export function toRecord(event: CodeEvent): SinkRecord {
  const { type, timestamp, id, ...fields } = event;
  const [level, message] = LINES[type];
  return { time: timestamp, level, message, fields: { event: type, eventId: id, ...fields } };
}

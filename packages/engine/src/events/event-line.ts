// The line of an event: its level, its ids, and the facts that people look for (EVENT-5). The log and the sinks share it.

import type { EventKind } from "@segno/kernel";
import type { LogFields, LogLevel } from "./logger.ts";
import type { WatchEvent } from "./watch-event.ts";

export interface EventLine {
  readonly level: LogLevel;
  readonly fields: LogFields;
  readonly message: EventKind;
}

const LEVELS: Readonly<Partial<Record<EventKind, LogLevel>>> = {
  "step.failed": "error",
  "execution.failed": "error",
  "execution.failing": "error",
  "step.retried": "warn",
  "step.overdue": "warn",
  "step.lost": "warn",
  "step.failing": "warn",
  "execution.parked": "warn",
  "signal.refused": "warn",
};

export function eventLine(watched: WatchEvent): EventLine {
  const { kind, executionId, workflow, correlationId, seq, step, attempt, event } = watched;
  const fields: LogFields = {
    executionId,
    workflow,
    correlationId,
    seq,
    ...(step === undefined ? {} : { step }),
    ...(attempt === undefined ? {} : { attempt }),
    ...("failure" in event && event.failure !== undefined
      ? { code: event.failure.code, class: event.failure.class, error: event.failure.message }
      : {}),
    ...("reason" in event && typeof event.reason === "string" ? { reason: event.reason } : {}),
  };
  return { level: LEVELS[kind] ?? "info", fields, message: kind };
}

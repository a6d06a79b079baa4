// The event log: one line per event of an execution, and engine faults (EVENT-5).

import type { EventKind } from "@segno/kernel";
import { thrownMessage } from "@segno/kernel/thrown-text";
import { segnoCode } from "../checks/segno-code.ts";
import type { LogFields, Logger, LogLevel } from "./logger.ts";
import type { WatchEvent } from "./watch-event.ts";

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

export function logEvent(logger: Logger, watched: WatchEvent): void {
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
  logger[LEVELS[kind] ?? "info"](fields, kind);
}

export function logFault(logger: Logger, error: unknown, executionId: string | undefined, suppressed = 0): void {
  const code = segnoCode(error);
  const fields: LogFields = {
    ...(suppressed === 0 ? {} : { suppressed }),
    ...(executionId === undefined ? {} : { executionId }),
    ...(code === undefined ? { error } : { code }),
  };
  logger.error(fields, thrownMessage(error));
}
